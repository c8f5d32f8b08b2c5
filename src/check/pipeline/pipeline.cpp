// SPDX-License-Identifier: MIT
#include "check/pipeline/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <new>
#include <numeric>
#include <thread>

#include "check/evidence/merge_orders.hpp"

namespace plumb {
namespace {

// So many violated parts are tried. If no second engine confirms any of them, it is unlikely to
// confirm another, and each takes the full budget of its evidence.
constexpr std::size_t kMostConvicted = 5;

// If there is none: so many times the steps for one of them. What was found is not given up early.
constexpr std::uint64_t kLastResorts[] = {4, 16};

// Steps for each part in the first round, and how many times more in the next one: a last round
// that takes all the time wastes an eighth of it on those before.
constexpr std::uint64_t kFirstRound = kStepsPerSecond / 8;
constexpr std::uint64_t kNextRound = 8;

unsigned threads_for(const CheckOptions& options, std::size_t parts) {
  const unsigned jobs =
      options.jobs ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  return static_cast<unsigned>(std::min<std::size_t>(jobs, parts));
}

// Whether the two are the same but for the operations' places in the history. Labels are numbered
// by their first operation in both.
bool have_equal_histories(const Problem& p, const Problem& q) {
  const auto same_label = [](const BoundLabel& a, const BoundLabel& b) {
    return a.method == b.method && a.known == b.known && a.result == b.result &&
           std::equal(a.args.begin(), a.args.end(), b.args.begin(), b.args.end());
  };
  const auto same_op = [](const Problem::Op& a, const Problem::Op& b) {
    return a.label == b.label && a.call == b.call && a.ret == b.ret && a.after == b.after &&
           a.judged == b.judged;
  };
  return p.specification == q.specification && p.initial == q.initial && p.stuck == q.stuck &&
         std::equal(p.labels.begin(), p.labels.end(), q.labels.begin(), q.labels.end(),
                    same_label) &&
         std::equal(p.ops.begin(), p.ops.end(), q.ops.begin(), q.ops.end(), same_op);
}

std::size_t first_equal_part(const std::vector<Partition>& parts, std::size_t index) {
  std::size_t first = 0;
  while (first < index && !have_equal_histories(parts[first].problem, parts[index].problem))
    ++first;
  return first;
}

Error internal_error(std::string message, const History& history) {
  return {ErrorKind::internal, std::move(message),
          "this is a bug in plumb: please report it with the history", history.file};
}

void report_answer(const Answer& answer, PartitionReport& part) {
  part.verdict = answer.verdict;
  part.engine = answer.engine;
  part.reason = answer.reason;
  part.why_engine = answer.why_engine;
  part.declined = answer.declined;
  part.covered = answer.covered;
  part.configurations = answer.stats.configurations;
  part.steps = answer.stats.steps;
  part.states = answer.stats.states;
  part.bytes = answer.stats.bytes;
  part.peak_frontier = answer.stats.peak_frontier;
}

// The orders after which the pending operations of one part of a stuck history block.
void report_blocking(const Problem& problem, const Answer& answer, CheckReport& report) {
  std::size_t next = 0;
  for (const Problem::Op& op : problem.ops) {
    if (!op.judged) continue;
    std::vector<OperationId> order = answer.witnesses[next++];
    for (OperationId& id : order) id = problem.ops[id].source;
    report.blocking_witnesses.emplace_back(op.source, std::move(order));
  }
}

// The operations of the counterexample, without words.
Counterexample make_example(const History& history, const Problem& problem, const Minimised& cut,
                            bool excerpt) {
  Counterexample example;
  example.excerpt = excerpt;
  for (const OperationId op : cut.operations) example.operations.push_back(problem.ops[op].source);
  for (const OperationId op : cut.only_called)
    example.only_called.push_back(problem.ops[op].source);
  example.self_contained = cut.self_contained;
  if (cut.culprit != kNone) example.culprit = problem.ops[cut.culprit].source;
  example.minimal = cut.minimal;
  example.left_state = cut.left_state;
  example.left_open = cut.left_open;
  // A problem that starts in the middle has its state on the left, even if nothing was cut there.
  if (cut.left == 0 && problem.origin)
    example.left_state = problem.origin->print(problem.origin_state);
  if (!example.left_state.empty()) {
    example.left_space = cut.problem.origin;
    example.left_space_state = cut.problem.origin_state;
  }
  if (cut.left > 0 && cut.left < problem.events.size()) {
    const Event event = problem.events[cut.left];
    const OperationId source = problem.ops[event.operation()].source;
    example.left_position = event.is_return() ? history.ret[source] : history.call[source];
  }
  example.confirmed_by = cut.confirmed_by;
  return example;
}

Error disagreement(const Answer& answer, const Minimised& cut, const History& history) {
  return internal_error(
      fmt::format("engines {} and {} disagree", answer.engine, cut.contradicted_by), history);
}

// Returns: an internal error where engines disagree.
Result<Minimised> cut_down(Property& property, const History& history, const Partition& part,
                           const Answer& answer, Budget& budget) {
  Minimised cut = property.minimise(part, answer, budget);
  if (!cut.contradicted_by.empty()) return disagreement(answer, cut, history);
  return cut;
}

// Fills in the counterexample. Without a second engine the verdict becomes `undecided`.
void report_violation(Property& property, const History& history, const Partition& part,
                      const Answer& answer, const Minimised& cut, Budget& budget,
                      CheckReport& report, bool excerpt) {
  if (cut.confirmed_by.empty()) {
    report.verdict = Verdict::undecided;
    report.stopped = StopReason::not_confirmed;
    report.reason = fmt::format(
        "engine {} found a violation, but no second engine could confirm it within its limits",
        answer.engine);
  }
  Counterexample example = make_example(history, part.problem, cut, excerpt);
  if (property.explain(part, cut, example, budget)) report.counterexample = std::move(example);
}

}  // namespace

std::string Property::merge(const Partitioning& parts, const std::vector<Answer>& answers,
                            CheckReport& report) {
  if (history_.stuck) {
    for (std::size_t i = 0; i < answers.size(); ++i)
      report_blocking(parts.partitions[i].problem, answers[i], report);
    return {};
  }
  std::vector<std::vector<OperationId>> orders;
  for (const Answer& answer : answers)
    orders.push_back(answer.witnesses.empty() ? std::vector<OperationId>{}
                                              : answer.witnesses.front());
  auto order = merge_by_real_time(history_, parts, orders);
  if (!order)
    return "every object holds, but the parts' orders contradict the order within a process";
  report.witness = std::move(*order);
  return {};
}

Pipeline::Pipeline(Property& property, const History& history, const CheckOptions& options,
                   CheckProgress& progress)
    : property_(property), history_(history), options_(options), progress_(progress),
      budget_(options.timeout_seconds, options.memory_bytes, options.interrupt) {}

Result<CheckReport> Pipeline::run() {
  const auto splitting = Clock::now();
  if (Status s = split(); !s.ok()) return std::move(s.error());
  report_.split_seconds = since(splitting);
  Crew crew(threads_for(options_, parts_.partitions.size()));
  const auto deciding = Clock::now();
  decide_all(crew);
  report_.seconds = since(deciding);
  const auto proving = Clock::now();
  if (Status s = prove(crew); !s.ok()) return std::move(s.error());
  report_.skipped_partitions = parts_with(Verdict::undecided, true).size();
  report_.evidence_seconds = since(proving);
  report_.peak_bytes = budget_.peak();
  report_.interrupted = options_.interrupt && options_.interrupt->load();
  return std::move(report_);
}

Status Pipeline::split() {
  progress_.phase = CheckPhase::splitting;
  report_.property = property_.kind();
  report_.operations = history_.size();
  for (OperationId op = 0; op < history_.size(); ++op)
    ++(history_.returned(op) ? report_.completed : report_.pending);
  Result<Partitioning> parts = property_.split();
  if (!parts.ok()) return std::move(parts.error());
  parts_ = std::move(*parts);
  report_.scope_notes = parts_.notes;
  std::size_t bytes = 0;
  for (const Partition& p : parts_.partitions) bytes += p.problem.bytes();
  budget_.charge(bytes);
  return {};
}

// Largest parts first, so that no thread is left with the longest one at the end.
void Pipeline::decide_all(Crew& crew) {
  const auto& partitions = parts_.partitions;
  progress_.phase = CheckPhase::deciding;
  progress_.partitions_decided = 0;
  progress_.operations_decided = 0;
  progress_.partitions = partitions.size();
  progress_.operations = history_.size();
  answers_.resize(partitions.size());
  for (const Partition& partition : partitions) {
    PartitionReport& part = report_.partitions.emplace_back();
    part.object = partition.object;
    part.keys = partition.keys;
    part.operations = partition.problem.ops.size();
  }
  std::vector<std::size_t> same(partitions.size());
  std::iota(same.begin(), same.end(), 0);
  if (property_.decides_equal_parts_once())
    for (std::size_t i = 0; i < same.size(); ++i) same[i] = first_equal_part(partitions, i);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < same.size(); ++i)
    if (same[i] == i) order.push_back(i);
  decide_in_order(crew, in_order(std::move(order)));
  for (std::size_t i = 0; i < same.size(); ++i)
    if (same[i] != i) copy_answer(i, same[i]);
}

// In rounds of more and more steps, so that a part that is hard to decide does not keep the
// violation of another one waiting.
void Pipeline::decide_in_order(Crew& crew, std::vector<std::size_t> order) {
  std::uint64_t steps = order.size() < 2 ? 0 : kFirstRound;
  for (; !order.empty(); steps *= kNextRound) {
    const bool last = steps == 0 || (options_.steps && options_.steps <= steps);
    order = decide_round(crew, order, last ? options_.steps : steps);
    if (last) return;
  }
}

// A violation ends what comes after it, even what another thread had decided by then, and the
// rounds of what came before it. So what is found is the same whatever the number of threads.
// Returns: what needs more steps.
std::vector<std::size_t> Pipeline::decide_round(Crew& crew, const std::vector<std::size_t>& order,
                                                std::uint64_t steps) {
  std::deque<Budget> budgets;
  for (std::size_t i = 0; i < order.size(); ++i) budgets.emplace_back(budget_, steps);
  const auto ends_the_rest = [&](std::size_t index) {
    return answers_[index].verdict == Verdict::violation && !options_.keep_going;
  };
  crew.each(order.size(), true, [&](unsigned, std::size_t i) {
    decide_part(order[i], budgets[i]);
    if (!ends_the_rest(order[i])) return;
    for (std::size_t later = i + 1; later < budgets.size(); ++later)
      budgets[later].stop(StopReason::no_longer_needed);
  });
  std::vector<std::size_t> open;
  for (const std::size_t index : order)
    if (report_.partitions[index].stopped == StopReason::search_limit) open.push_back(index);
  const auto violated = std::find_if(order.begin(), order.end(), ends_the_rest);
  if (violated == order.end()) return open;
  for (const std::size_t index : open) skip_part(index);
  for (auto later = violated + 1; later != order.end(); ++later) skip_part(*later);
  return {};
}

// As if it had never been begun.
void Pipeline::skip_part(std::size_t index) {
  Budget none;
  none.stop(StopReason::no_longer_needed);
  answers_[index] = {};
  report_answer(answers_[index], report_.partitions[index]);
  decide_part(index, none);
}

void Pipeline::decide_part(std::size_t index, Budget& budget) {
  const auto start = Clock::now();
  PartitionReport& part = report_.partitions[index];
  if (budget.exhausted()) {
    part.reason = describe_stop(budget);
    part.stopped = budget.stopped();
    part.skipped = part.stopped == StopReason::no_longer_needed;
    return;
  }
  Answer& answer = answers_[index];
  try {
    answer = property_.decide(parts_.partitions[index], budget);
  } catch (const std::bad_alloc&) {
    budget_.stop(StopReason::out_of_memory);
    budget.stop(StopReason::out_of_memory);
    answer = {};
    answer.reason = "out of memory";
  }
  report_answer(answer, part);
  part.seconds += since(start);
  part.stopped = StopReason::none;
  if (answer.verdict == Verdict::undecided) {
    const bool declined = budget.stopped() == StopReason::none;
    part.stopped = declined ? StopReason::not_applicable : budget.stopped();
  }
  part.skipped = part.stopped == StopReason::no_longer_needed;
  if (part.verdict == Verdict::undecided) return;
  ++progress_.partitions_decided;
  progress_.operations_decided += part.operations;
}

void Pipeline::copy_answer(std::size_t index, std::size_t from) {
  PartitionReport& part = report_.partitions[index];
  answers_[index] = answers_[from];
  report_answer(answers_[index], part);
  part.stopped = report_.partitions[from].stopped;
  part.skipped = report_.partitions[from].skipped;
  if (part.skipped) return;
  part.why_engine = "another object has the same history";
  ++progress_.partitions_decided;
  progress_.operations_decided += part.operations;
}

std::vector<std::size_t> Pipeline::parts_with(Verdict verdict, bool skipped) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < report_.partitions.size(); ++i) {
    const PartitionReport& part = report_.partitions[i];
    if (part.verdict == verdict && part.skipped == skipped) found.push_back(i);
  }
  return found;
}

// Larger parts are decided first.
std::vector<std::size_t> Pipeline::in_order(std::vector<std::size_t> parts) const {
  std::stable_sort(parts.begin(), parts.end(), [this](std::size_t a, std::size_t b) {
    return parts_.partitions[a].problem.ops.size() > parts_.partitions[b].problem.ops.size();
  });
  return parts;
}

Status Pipeline::prove(Crew& crew) {
  progress_.phase = CheckPhase::proving;
  if (Status s = verify_all(crew, parts_with(Verdict::holds)); !s.ok()) return s;
  if (auto violated = parts_with(Verdict::violation); !violated.empty())
    return convict_parts(crew, in_order(std::move(violated)));
  if (const auto undecided = parts_with(Verdict::undecided); !undecided.empty()) {
    const PartitionReport& first = report_.partitions[undecided.front()];
    report_.reason = first.reason;
    report_.stopped = first.stopped;
    return {};
  }
  report_.reason = property_.merge(parts_, answers_, report_);
  if (report_.reason.empty()) report_.verdict = Verdict::holds;
  else report_.stopped = StopReason::not_merged;
  return {};
}

Status Pipeline::verify_all(Crew& crew, const std::vector<std::size_t>& holding) {
  std::mutex mutex;
  std::string wrong;
  crew.each(holding.size(), true, [&](unsigned, std::size_t i) {
    Answer& answer = answers_[holding[i]];
    complete(answer);
    const std::string why = property_.verify(parts_.partitions[holding[i]], answer);
    if (why.empty()) return;
    const std::lock_guard lock(mutex);
    wrong = fmt::format("the witness of engine {} is wrong: {}", answer.engine, why);
  });
  if (!wrong.empty()) return internal_error(std::move(wrong), history_);
  return {};
}

// Reports the first violation that a second engine confirms; if there is none, the first of all. A
// part may have been skipped because of a violation that is not confirmed: then it is decided.
Status Pipeline::convict_parts(Crew& crew, std::vector<std::size_t> violated) {
  report_.verdict = Verdict::violation;
  if (!options_.minimise) return {};
  progress_.phase = CheckPhase::minimising;
  // Evidence has step budgets of its own, and what is left of the time, but for the report.
  const double left = with_time_left(options_, started_).timeout_seconds;
  Budget budget(0.9 * left, options_.memory_bytes, options_.interrupt);
  std::size_t shown = violated.front();
  Minimised cut;
  for (std::size_t i = 0; i < violated.size() && i < kMostConvicted; ++i) {
    const std::size_t index = violated[i];
    Result<Minimised> next =
        cut_down(property_, history_, parts_.partitions[index], answers_[index], budget);
    if (!next.ok()) return std::move(next.error());
    const bool confirmed = !next->confirmed_by.empty();
    if (i == 0 || confirmed) {
      shown = index;
      cut = std::move(*next);
    }
    if (confirmed || budget.exhausted()) break;
    if (i + 1 == violated.size())
      if (Status s = decide_skipped(crew, violated); !s.ok()) return s;
  }
  for (const std::uint64_t factor : kLastResorts)
    if (cut.confirmed_by.empty() && !budget.exhausted())
      property_.confirm(parts_.partitions[shown], answers_[shown], factor, budget, cut);
  if (!cut.contradicted_by.empty()) return disagreement(answers_[shown], cut, history_);
  report_violation(property_, history_, parts_.partitions[shown], answers_[shown], cut, budget,
                   report_, options_.excerpt);
  return {};
}

// Up to the next violation, as before. Adds what is violated to `violated`.
Status Pipeline::decide_skipped(Crew& crew, std::vector<std::size_t>& violated) {
  const std::vector<std::size_t> skipped = in_order(parts_with(Verdict::undecided, true));
  std::vector<std::size_t> holding;
  decide_in_order(crew, skipped);
  for (const std::size_t index : skipped) {
    if (answers_[index].verdict == Verdict::holds) holding.push_back(index);
    if (answers_[index].verdict == Verdict::violation) violated.push_back(index);
  }
  return verify_all(crew, holding);
}

Status convict(Property& property, const History& history, const Partition& part,
               const Answer& answer, Budget& budget, CheckReport& report, bool excerpt) {
  const Result<Minimised> cut = cut_down(property, history, part, answer, budget);
  if (!cut.ok()) return cut.error();
  report_violation(property, history, part, answer, *cut, budget, report, excerpt);
  return {};
}

EngineOptions engine_options(const CheckOptions& options) {
  EngineOptions engine;
  engine.lru_entries = options.lru_entries;
  engine.breadth_first = options.search == SearchOrder::breadth_first;
  engine.depth_first = options.search == SearchOrder::depth_first;
  return engine;
}

CheckOptions with_time_left(CheckOptions options, Clock::time_point started) {
  if (options.timeout_seconds > 0)
    options.timeout_seconds = std::max(0.001, options.timeout_seconds - since(started));
  return options;
}

}  // namespace plumb
