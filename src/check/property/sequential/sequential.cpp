// SPDX-License-Identifier: MIT
// Sequential consistency: some order of all operations that keeps the order of each process, though
// not real time, explains every result (Lamport, 1979). To decide it is NP-complete, for registers,
// too (Gibbons & Korach, "Testing shared memories", 1997), so this is a search with a budget.
//
// The history is rewritten: all operations are called before any returns, so that real time says
// nothing, and `after` links each operation to the one before it in its process. That is a problem
// like any other, and every general engine decides it; so the order is replayed by the usual
// verifier, and a violation is cut down and confirmed as usual. But the engines count on few open
// operations, and here all are. decide_chains knows that a configuration is a place in each
// process:
//
//     (how many operations of each process are done, state)
//
// at most n^p of them times the states, p processes. Of these we keep those that were seen. A pure
// operation that is next in its process and legal goes at once: in any completion it could be moved
// here. A write may not go while the value that it would overwrite is still to be read and not to
// be written again. Otherwise the next operations are tried in the order in which they returned, so
// a history that is nearly linearizable is followed as it happened.
//
// The property is not local: objects that are sequentially consistent one by one need not be so
// together. So nothing is split by key; several objects are decided one by one, which is enough for
// a violation, and if their orders can be merged, for `holds`; else it is undecided. A history that
// is linearizable is sequentially consistent by the same order, and that is tried first, because it
// is fast.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "check/evidence/evidence.hpp"
#include "check/evidence/minimise.hpp"
#include "check/problem/partition.hpp"
#include "check/property/registers/properties.hpp"
#include "explain/words.hpp"

namespace plumb {
namespace {

class Chains {
 public:
  Chains(const Problem& problem, Budget& budget)
      : problem_(problem), budget_(budget), charge_(budget), space_(problem.make_space()) {
    std::vector<bool> awaited(problem.ops.size(), false);
    for (const Problem::Op& op : problem.ops)
      if (op.after != kNone) awaited[op.after] = true;
    for (OperationId op = 0; op < problem.ops.size(); ++op)
      if (problem.pure[problem.ops[op].label] && (problem.ops[op].completed() || awaited[op]))
        observed_.insert(label(op).result);
    std::vector<std::uint32_t> chain_of(problem.ops.size());
    for (OperationId op = 0; op < problem.ops.size(); ++op) {
      const Problem::Op& o = problem.ops[op];
      if (!o.completed() && !awaited[op] && !may_help(op)) continue;
      const bool goes_on = o.after != kNone && chains_[chain_of[o.after]].back() == o.after;
      if (!goes_on) {
        // Behind an operation that another follows, too, where clocks let a process go on although
        // an operation of it was pending.
        Root root;
        if (o.after != kNone) {
          root.chain = chain_of[o.after];
          const auto& before = chains_[root.chain];
          root.done = static_cast<std::uint32_t>(std::find(before.begin(), before.end(), o.after) -
                                                 before.begin() + 1);
        }
        roots_.push_back(root);
        needed_.push_back(0);
        chains_.emplace_back();
      }
      chain_of[op] = goes_on ? chain_of[o.after] : static_cast<std::uint32_t>(chains_.size() - 1);
      auto& chain = chains_[chain_of[op]];
      chain.push_back(op);
      if (o.completed()) needed_[chain_of[op]] = static_cast<std::uint32_t>(chain.size());
    }
    number_contents();
  }

  Answer run() {
    Answer answer;
    answer.engine = "chains";
    std::vector<std::uint32_t> start(chains_.size() + 1, 0);
    start.back() = space_->initial();
    bool found = enter(std::move(start));
    while (!found && !stack_.empty()) {
      if (++answer.stats.steps % 256 == 0 && budget_.exhausted()) break;
      Frame& top = stack_.back();
      if (top.next == top.moves.size()) {
        stack_.pop_back();
        take_back(stack_.empty() ? 0 : stack_.back().order_size);
        continue;
      }
      take_back(top.order_size);
      const auto [chain, state] = top.moves[top.next++];
      std::vector<std::uint32_t> next = top.key;
      place(chains_[chain][next[chain]]);
      ++next[chain];
      next.back() = state;
      found = enter(std::move(next));
      if (!charge_.hold(bytes())) break;
    }
    answer.stats.configurations = seen_.size();
    answer.stats.states = space_->size();
    answer.stats.bytes = bytes();
    answer.covered = covered_;
    if (found) {
      answer.verdict = Verdict::holds;
      answer.covered = problem_.completed();
      answer.witnesses.push_back(order_);
    } else if (budget_.stopped() != Budget::Stop::none) {
      answer.reason = describe_stop(budget_);
    } else {
      answer.verdict = Verdict::violation;
    }
    return answer;
  }

 private:
  struct Content {
    std::uint32_t cell, content;
  };
  struct Root {  // a chain may begin when so many operations of another are done
    std::uint32_t chain = kNone, done = 0;
  };
  struct Frame {
    std::vector<std::uint32_t> key;  // places, then the state
    std::vector<std::pair<std::uint32_t, StateId>> moves;
    std::size_t next = 0, order_size = 0;
  };
  struct Hash {
    std::size_t operator()(const std::vector<std::uint32_t>& key) const {
      std::uint64_t h = 0x9e3779b97f4a7c15u;
      for (const std::uint32_t x : key) h = (h ^ x ^ h >> 29) * 0xff51afd7ed558ccdu;
      return h ^ h >> 32;
    }
  };

  // One that did not return, that nothing waits for, and that is a read, or a write of a value that
  // nobody returned, is best left out. (There are reads and writes only, so what a read that counts
  // returned is all that a write can be good for.)
  bool may_help(OperationId op) const {
    return !problem_.pure[problem_.ops[op].label] && observed_.contains(label(op).args.back());
  }
  // What a label writes or reads: a cell with a value, and the cell, both as numbers.
  void number_contents() {
    std::map<std::vector<Value>, std::uint32_t> contents, cells;
    const auto number = [](auto& all, std::vector<Value> what) {
      return all.try_emplace(std::move(what), static_cast<std::uint32_t>(all.size())).first->second;
    };
    for (LabelId l = 0; l < problem_.labels.size(); ++l) {
      const BoundLabel& label = problem_.labels[l];
      std::vector<Value> what(label.args.begin(), label.args.end());
      if (!problem_.pure[l]) what.pop_back();
      const std::uint32_t cell = number(cells, what);
      what.push_back(problem_.pure[l] ? label.result : label.args.back());
      labels_.push_back({cell, number(contents, std::move(what))});
    }
    to_write_.assign(contents.size(), 0);
    to_read_.assign(contents.size(), 0);
    now_.assign(cells.size(), kNone);
    for (LabelId l = 0; l < problem_.labels.size(); ++l) {
      if (!problem_.pure[l] || !problem_.labels[l].known) continue;
      to_.clear();
      space_->step(space_->initial(), problem_.labels[l], to_);
      if (!to_.empty()) now_[labels_[l].cell] = labels_[l].content;
    }
    for (const auto& chain : chains_)
      for (const OperationId op : chain) ++*counter(op);
  }
  // Only reads that must be explained count.
  std::uint32_t* counter(OperationId op) {
    const Problem::Op& o = problem_.ops[op];
    if (!problem_.pure[o.label]) return &to_write_[labels_[o.label].content];
    const bool counts = o.completed() && problem_.labels[o.label].known;
    return counts ? &to_read_[labels_[o.label].content] : &uncounted_;
  }
  void place(OperationId op) {
    const LabelId l = problem_.ops[op].label;
    order_.push_back(op);
    --*counter(op);
    if (!problem_.pure[l]) {
      overwritten_.push_back(now_[labels_[l].cell]);
      now_[labels_[l].cell] = labels_[l].content;
    }
  }
  void take_back(std::size_t size) {
    for (; order_.size() > size; order_.pop_back()) {
      const LabelId l = problem_.ops[order_.back()].label;
      ++*counter(order_.back());
      if (!problem_.pure[l]) {
        now_[labels_[l].cell] = overwritten_.back();
        overwritten_.pop_back();
      }
    }
  }
  bool loses_a_value(OperationId op) const {
    const LabelId l = problem_.ops[op].label;
    const std::uint32_t now = now_[labels_[l].cell];
    return !problem_.pure[l] && now != kNone && now != labels_[l].content && to_read_[now] > 0 &&
           to_write_[now] == 0;
  }

  bool has_next(const std::vector<std::uint32_t>& key, std::uint32_t chain) const {
    const Root& root = roots_[chain];
    return key[chain] < chains_[chain].size() &&
           (root.chain == kNone || key[root.chain] >= root.done);
  }
  const BoundLabel& label(OperationId op) const { return problem_.labels[problem_.ops[op].label]; }
  std::size_t bytes() const {
    return seen_.size() * (4 * (chains_.size() + 1) + 64) +
           stack_.size() * (8 * chains_.size() + sizeof(Frame)) + space_->bytes();
  }

  // A new configuration. Returns: whether it is the end.
  bool enter(std::vector<std::uint32_t> key) {
    for (bool again = true; again;) {
      again = false;
      for (std::uint32_t c = 0; c < chains_.size(); ++c)
        while (has_next(key, c)) {
          const OperationId op = chains_[c][key[c]];
          if (!problem_.pure[problem_.ops[op].label]) break;
          to_.clear();
          space_->step(key.back(), label(op), to_);
          if (to_.empty()) break;
          place(op);
          ++key[c];
          again = true;
        }
    }
    covered_ = std::max<std::uint64_t>(covered_, order_.size());
    bool done = true;
    for (std::uint32_t c = 0; c < chains_.size(); ++c) done = done && key[c] >= needed_[c];
    if (done) return true;
    if (!seen_.insert(key).second) return false;
    Frame frame;
    for (std::uint32_t c = 0; c < chains_.size(); ++c) {
      if (!has_next(key, c) || loses_a_value(chains_[c][key[c]])) continue;
      to_.clear();
      space_->step(key.back(), label(chains_[c][key[c]]), to_);
      for (const StateId state : to_) frame.moves.emplace_back(c, state);
    }
    std::stable_sort(frame.moves.begin(), frame.moves.end(), [&](const auto& a, const auto& b) {
      return problem_.ops[chains_[a.first][key[a.first]]].ret <
             problem_.ops[chains_[b.first][key[b.first]]].ret;
    });
    frame.key = std::move(key);
    frame.order_size = order_.size();
    stack_.push_back(std::move(frame));
    return false;
  }

  const Problem& problem_;
  Budget& budget_;
  Charge charge_;
  std::unique_ptr<StateSpace> space_;
  std::vector<std::vector<OperationId>> chains_;
  std::unordered_set<Value> observed_;  // by reads that count
  std::vector<Root> roots_;             // by chain
  std::vector<std::uint32_t> needed_;   // by chain: up to its last completed operation
  std::unordered_set<std::vector<std::uint32_t>, Hash> seen_;
  std::vector<Frame> stack_;
  std::vector<OperationId> order_;
  std::vector<StateId> to_;
  std::uint64_t covered_ = 0;
  std::vector<Content> labels_;
  std::vector<std::uint32_t> to_write_, to_read_;  // by content: operations that are not placed
  std::vector<std::uint32_t> now_;                 // by cell: its content; kNone: nobody reads it
  std::vector<std::uint32_t> overwritten_;         // by writes of order_
  std::uint32_t uncounted_ = 0;
};

// The shortest prefix, by recorded returns, that is a violation whatever the operations behind it
// do. Longer ones are violations, too, so it is found by halving.
void find_failing_event(const Problem& problem, Budget& budget, Answer& answer) {
  std::uint32_t low = static_cast<std::uint32_t>(problem.ops.size());  // the first return
  auto high = static_cast<std::uint32_t>(problem.events.size());
  if (low == high) return;
  --high;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    Budget slice(budget.at_most(1), std::size_t{1} << 30, nullptr);
    if (decide_chains(prefix(problem, middle), slice).verdict == Verdict::violation) high = middle;
    else low = middle + 1;
  }
  answer.failing_event = high;  // at worst too late: a violation, but not the earliest
}

class SequentialCheck {
  static constexpr std::size_t kReadable = 100;  // operations; more of them explain nothing

 public:
  SequentialCheck(const History& history, const CheckOptions& options, CheckProgress& progress)
      : history_(history), options_(options), progress_(progress),
        budget_(options.timeout_seconds, options.memory_bytes, options.interrupt),
        report_(begin_report(history, options)) {}

  Result<CheckReport> run() {
    if (!history_.stuck) {
      Result<CheckReport> more = try_linearizable();
      if (!more.ok() || more->verdict == Verdict::holds) return more;
    }
    progress_.phase = "deciding";
    CheckOptions whole = options_;
    whole.partition = false;
    Result<Partitioning> split = make_partitions(history_, whole);
    if (!split.ok()) return std::move(split.error());
    const auto start = Clock::now();
    progress_.partitions_decided = 0;
    progress_.partitions = split->partitions.size();
    std::string undecided;
    for (Partition& p : split->partitions) {
      p.problem = without_real_time(history_, p.problem);
      PartitionReport& part = report_.partitions.emplace_back();
      Answer answer = decide_one(p, part);
      ++progress_.partitions_decided;
      if (answer.verdict == Verdict::violation) {
        report_.seconds = since(start);
        return convict(p.problem, std::move(answer));
      }
      if (answer.verdict == Verdict::undecided) {
        undecided = answer.reason;
      } else {
        complete(answer);
        if (std::string wrong = verify_witness(p.problem, answer); !wrong.empty())
          return Error{ErrorKind::internal,
                       fmt::format("the witness of engine {} is wrong: {}", answer.engine, wrong),
                       "this is a bug in plumb: please report it", history_.file};
        for (OperationId& op : answer.witnesses.front()) op = p.problem.ops[op].source;
        orders_.push_back(std::move(answer.witnesses.front()));
      }
    }
    report_.seconds = since(start);
    report_.peak_bytes = budget_.peak();
    report_.interrupted = options_.interrupt && options_.interrupt->load();
    if (!undecided.empty()) report_.reason = undecided;
    else merge();
    return std::move(report_);
  }

 private:
  Result<CheckReport> try_linearizable() {
    CheckOptions linear = options_;
    linear.property = "linearizable";
    linear.engine = "auto";
    linear.minimise = linear.keep_going = false;
    linear.timeout_seconds = options_.timeout_seconds > 0 ? options_.timeout_seconds / 3 : 10;
    Result<CheckReport> found = check(history_, linear, &progress_);
    if (!found.ok()) return found;
    found->property = options_.property;
    if (found->verdict == Verdict::holds)
      found->scope_notes.push_back("it is even linearizable, by the same order");
    return found;
  }

  Answer decide_one(const Partition& p, PartitionReport& part) {
    const auto start = Clock::now();
    part.object = p.object;
    part.operations = p.problem.ops.size();
    Answer answer = options_.engine == "auto" ? decide_chains(p.problem, budget_)
                                              : decide(options_.engine, p.problem, budget_);
    report_answer(answer, part);
    part.seconds = since(start);
    return answer;
  }

  Result<CheckReport> convict(const Problem& problem, Answer answer) {
    report_.verdict = Verdict::violation;
    if (!options_.minimise) return std::move(report_);
    progress_.phase = "minimising";
    const auto start = Clock::now();
    const double left = options_.timeout_seconds - since(started_);
    const double most = options_.timeout_seconds > 0 ? std::clamp(0.9 * left, 0.001, 15.0) : 15;
    Budget budget(most, 0, options_.interrupt);
    Budget third(most / 3, 0, options_.interrupt);
    find_failing_event(problem, third, answer);
    const Minimised cut = minimise(problem, answer, budget, {decide_chains, 200'000, false});
    if (Status second = ask_second_engine(cut, answer, history_, report_); !second.ok())
      return second.error();
    if (cut.confirmed_by.empty() && cut.operations.size() > kReadable) return std::move(report_);
    Counterexample example;
    for (const OperationId op : cut.operations)
      example.operations.push_back(problem.ops[op].source);
    example.minimal = cut.minimal;
    example.confirmed_by = cut.confirmed_by;
    const std::size_t n = example.operations.size();
    std::string what = "their results";
    if (cut.culprit != kNone) {
      example.culprit = problem.ops[cut.culprit].source;
      const Label& label = history_.labels[history_.label[example.culprit]];
      what = fmt::format("why {} returned {}", report::call_words(history_, example.culprit),
                         report::words(label.result));
    }
    example.why.push_back(
        n == 1 ? fmt::format("Nothing explains {}.", what)
               : fmt::format("No order of these {} that keeps the order of each process explains "
                             "{}, even if real time is ignored.",
                             text::count_words(n, "operation"), what));
    report_.counterexample = std::move(example);
    report_.evidence_seconds = since(start);
    report_.peak_bytes = budget_.peak();
    return std::move(report_);
  }

  // Several objects: one order of all that agrees with each object's and each process's.
  void merge() {
    const std::size_t n = history_.size();
    std::vector<std::vector<OperationId>> next(n);
    std::vector<std::uint32_t> waiting(n, 0);
    std::vector<bool> placed(n, false);
    std::size_t size = 0;
    const auto edge = [&](OperationId a, OperationId b) {
      next[a].push_back(b);
      ++waiting[b];
    };
    for (const auto& order : orders_) {
      size += order.size();
      for (std::size_t i = 0; i < order.size(); ++i) {
        placed[order[i]] = true;
        if (i > 0) edge(order[i - 1], order[i]);
      }
    }
    std::vector<OperationId> last(history_.processes.size(), kNone);
    for (OperationId op = 0; op < n; ++op) {
      if (!placed[op]) continue;
      OperationId& before = last[history_.process[op]];
      if (before != kNone) edge(before, op);
      if (history_.returned(op)) before = op;
    }
    std::vector<OperationId> order;
    for (OperationId op = 0; op < n; ++op)
      if (placed[op] && waiting[op] == 0) order.push_back(op);
    for (std::size_t i = 0; i < order.size(); ++i)
      for (const OperationId after : next[order[i]])
        if (--waiting[after] == 0) order.push_back(after);
    if (order.size() < size) {
      report_.reason =
          "each object is sequentially consistent, but the orders found for them do "
          "not fit together";
      return;
    }
    report_.witness = std::move(order);
    report_.verdict = Verdict::holds;
  }

  const History& history_;
  const CheckOptions& options_;
  CheckProgress& progress_;
  const Clock::time_point started_ = Clock::now();
  Budget budget_;
  CheckReport report_;
  std::vector<std::vector<OperationId>> orders_;  // by object, of the history's operations
};

}  // namespace

Problem without_real_time(const History& history, const Problem& problem) {
  Problem free = problem;
  free.stuck = false;
  free.events.clear();
  std::vector<OperationId> last(history.processes.size(), kNone);
  for (OperationId op = 0; op < free.ops.size(); ++op) {
    Problem::Op& o = free.ops[op];
    o.judged = false;
    o.call = op;
    // Operations of one process are numbered in the order in which it made them.
    OperationId& before = last[history.process[o.source]];
    o.after = before;
    if (o.completed()) before = op;
    free.events.emplace_back(op, false);
  }
  for (const Event event : problem.events) {
    if (!event.is_return()) continue;
    free.ops[event.operation()].ret = static_cast<std::uint32_t>(free.events.size());
    free.events.push_back(event);
  }
  return free;
}

Answer decide_chains(const Problem& problem, Budget& budget, const EngineOptions&) {
  return Chains(problem, budget).run();
}

Result<CheckReport> check_sequential(const History& history, const CheckOptions& options,
                                     CheckProgress& progress) {
  return SequentialCheck(history, options, progress).run();
}

}  // namespace plumb
