// SPDX-License-Identifier: MIT
// Algorithm 4.1 of the paper (see monitor.cpp), breadth first: a pair is a state of the
// implementation and the set of configurations that the specification may be in after the same
// calls and returns. All histories are linearizable if and only if no pair with an empty set is
// reachable (Theorem 1). Breadth first, so the first one that is found is reached by the fewest
// moves. moves.hpp says what a move is, cartesian.hpp which of them are made, store.hpp
// which pairs are kept.
//
// A pair in which no process can do anything, although an operation is pending, is the end of a
// stuck history; Monitor::may_be_stuck judges it.
//
// Threads. A level is worked on in blocks, and a block in two rounds. First, chunks of it are
// expanded: what comes out goes into a box for each shard of the store. Then the boxes are emptied,
// each shard by one thread, chunk after chunk in the order of the level. So the store is the same
// whichever thread did what, nothing is locked, and the shards that are looked up in next are known
// in time to fetch them from memory. Blocks keep the boxes small.
//
// Checkpoints (checkpoint.hpp) are made between two blocks. A block that was stopped in its first
// round has left no traces in the store, and is begun again; the second round is then finished,
// whatever the limits say.
//
// Native code (model/native/native.hpp) is asked for when the model turns out to be large, and used
// from the block on before which it is there.
//
// Symmetry: symmetry.hpp. The path to what was found: recover.cpp.
#include "refine/search/product.hpp"

#include <algorithm>

#include "refine/search/product_search.hpp"

namespace plumb::refine {
namespace {

constexpr std::uint32_t kChunk = 128;        // nodes
constexpr std::size_t kWorthSharing = 4096;  // words in the boxes
constexpr std::size_t kAhead = 12;           // pairs
constexpr std::uint64_t kLarge = 100'000;    // nodes
// Chunks. The larger a block, the more of what a shard is asked for is in the cache already; but a
// pair takes much longer than a state, and a block should not take long.
constexpr std::size_t kBlockOfPairs = 512, kBlockOfStates = 2048;

NodeId node_id(std::uint32_t shard, std::uint32_t index) { return index * kShards + shard; }

}  // namespace

ProductSearch::ProductSearch(const model::Program& program, const SearchOptions& options,
                             bool monitored, Budget& budget, SearchProgress* progress)
    : program_(program), reductions_(options.reductions), criterion_(options.criterion),
      sets_(program, options.reductions.generators), monitored_(monitored),
      width_(program.layout.words), budget_(budget), progress_(progress),
      most_transitions_(options.most_transitions), crew_(std::max(1u, options.jobs)),
      checkpoint_(options.checkpoint), native_(options.native), compiling_(program) {
  if (records(criterion_)) reductions_ = kNoReductions;
  reductions_.symmetry = reductions_.symmetry && Symmetry(program).any();
  // Where a step does more than its instructions say, which steps depend on it is not known.
  reductions_.partial_order = reductions_.partial_order && is_plain(program);
  const Shard::Kind kind = !monitored              ? Shard::states_only
                           : reductions_.antichain ? Shard::antichain
                                                   : Shard::all_pairs;
  shards_.assign(kShards, Shard(width_, kind, options.compact));
  for (unsigned i = 0; i < crew_.size(); ++i) workers_.push_back(std::make_unique<Worker>(*this));
  if (native_ == Native::at_once) {
    compiling_.start();
    compiling_.wait();
  }
  use_native();
}

Found ProductSearch::run() {
  if (Status begun = begin(); !begun.ok()) {
    found_.refused = std::move(begun.error());
    return std::move(found_);
  }
  while (going_on()) {
    if (at_ == level_.size() && !next_level()) {
      found_.verdict = Verdict::holds;
      break;
    }
    if (budget_.exhausted()) break;
    while (at_ < level_.size() && going_on()) {
      const std::size_t most = monitored_ ? kBlockOfPairs : kBlockOfStates;
      work_on(std::min<std::size_t>(most, level_.size() - at_), level_.data() + at_);
      if (going_on() && save_is_due()) save();
    }
  }
  if (keeps_checkpoints()) {
    const bool cut = budget_.stopped() != Budget::Stop::none && !sets_.faulty();
    if (cut && found_.kind == Found::none) save();
    else Checkpoint::remove(checkpoint_);
  }
  count();
  conclude();
  return std::move(found_);
}

ProductSearch::Tally ProductSearch::tally() const {
  Tally all = before_;
  for (const auto& worker : workers_) {
    all.transitions += worker->transitions;
    all.cuts += worker->moves.stepper().cuts();
  }
  return all;
}

void ProductSearch::count() {
  const Tally all = tally();
  found_.transitions = all.transitions;
  found_.cuts = all.cuts;
  for (const Shard& shard : shards_) {
    found_.states += shard.nodes() - shard.dropped();
    found_.implementation += shard.states();
  }
  found_.waiting = found_.states - std::min(found_.states, expanded_);
  found_.sets = sets_.size();
  found_.largest_set = sets_.largest();
  found_.spec_states = sets_.spec_states();
  for (const auto& worker : workers_) found_.coverage.merge(worker->moves.stepper().coverage());
}

void ProductSearch::conclude() {
  if (sets_.fault()) {
    found_.spec_fault = sets_.fault();
    found_.kind = Found::none;
    found_.verdict = Verdict::undecided;
  } else if (found_.kind != Found::none) {
    found_.verdict = Verdict::violation;
  } else if (found_.verdict != Verdict::holds) {
    found_.stopped = full_ ? Budget::Stop::search_limit : budget_.stopped();
  } else if (found_.cuts > 0) {
    found_.verdict = Verdict::undecided;
  }
}

SetId ProductSearch::initial(std::vector<std::uint64_t>& words) {
  Worker& worker = *workers_[0];
  const model::Machine machine(program_);
  machine.pack(machine.initial().data(), words.data());
  SetId set = monitored_ ? worker.monitor->initial() : 0;
  if (reductions_.symmetry) worker.symmetry.apply(words.data(), monitor(worker), set);
  return set;
}

void ProductSearch::enter_initial() {
  std::vector<std::uint64_t> words(width_);
  const SetId set = initial(words);
  const std::uint64_t hash = hash_row(words.data(), width_);
  shards_[hash % kShards].add(hash, words.data(), set, kNoNode, monitor(*workers_[0]));
}

bool ProductSearch::next_level() {
  level_.clear();
  std::uint32_t room = 0;
  for (std::uint32_t s = 0; s < kShards; ++s) {
    Shard& shard = shards_[s];
    for (std::uint32_t at = begins_[s]; at < shard.nodes();) {
      if (room == 0) {
        level_.push_back({s, at, 0});
        room = kChunk;
      }
      const std::uint32_t taken = std::min(room, shard.nodes() - at);
      level_.back().count += taken;
      room -= taken;
      at += taken;
    }
    ends_[s] = shard.nodes();
    shard.begin_level();
  }
  at_ = 0;
  if (level_.empty()) return false;
  found_.depth += !first_level_;
  first_level_ = false;
  level_begins_ = begins_;
  begins_ = ends_;
  return true;
}

void ProductSearch::work_on(std::size_t count, const Chunk* chunks) {
  expand_all(count, chunks);
  if (going_on()) {
    empty_all(count);
    if (keeps_checkpoints() || going_on()) {
      for (std::size_t i = 0; i < count; ++i) expanded_ += alive(chunks[i]);
      at_ += count;
      before_block_ = tally();
    }
  }
  for (const auto& worker : workers_)
    for (auto& box : worker->boxes) box.clear();
  after_block();
}

void ProductSearch::expand_all(std::size_t count, const Chunk* chunks) {
  sections_.resize(count * kShards);
  owners_.assign(count, kNoWorker);
  wrong_.assign(count, {});
  crew_.each(count, true, [&](unsigned worker, std::size_t i) {
    if (!sets_.faulty() && !budget_.exhausted()) expand(worker, chunks[i], i);
  });
  const auto is_wrong = [](const Wrong& wrong) { return wrong.kind != Found::none; };
  if (std::none_of(wrong_.begin(), wrong_.end(), is_wrong)) return;
  // If it was cut just here, the others are made up for: what is found is not left to chance.
  if (keeps_checkpoints())
    crew_.each(count, true, [&](unsigned worker, std::size_t i) {
      if (owners_[i] == kNoWorker) expand(worker, chunks[i], i);
    });
  report(*std::find_if(wrong_.begin(), wrong_.end(), is_wrong));
}

void ProductSearch::empty_all(std::size_t count) {
  std::size_t waiting = 0;
  for (const auto& worker : workers_)
    for (const auto& box : worker->boxes) waiting += box.size();
  crew_.each(kShards, waiting > kWorthSharing, [&](unsigned worker, std::size_t shard) {
    if (keeps_checkpoints() || !budget_.exhausted())
      empty_boxes(*workers_[worker], static_cast<std::uint32_t>(shard), count);
  });
}

void ProductSearch::after_block() {
  std::uint64_t nodes = 0;
  for (const Shard& shard : shards_) nodes += shard.nodes() - shard.dropped();
  if (native_ == Native::when_large && nodes > kLarge) {
    native_ = Native::never;
    compiling_.start();
  }
  use_native();
  const std::uint64_t transitions = tally().transitions;
  full_ = transitions > most_transitions_;
  if (!progress_) return;
  progress_->states = nodes;
  progress_->waiting = nodes - std::min(nodes, expanded_);
  progress_->depth = found_.depth;
  progress_->transitions = transitions;
}

void ProductSearch::use_native() {
  if (!compiling_.take()) return;
  found_.native = compiling_.function() != nullptr;
  found_.compile_seconds = compiling_.seconds();
  for (const auto& worker : workers_) worker->moves.stepper().use(compiling_.function());
}

std::uint64_t ProductSearch::alive(const Chunk& chunk) const {
  std::uint64_t count = 0;
  each_node(chunk, [&](std::uint32_t, std::uint32_t) { ++count; });
  return count;
}

void ProductSearch::expand(unsigned number, const Chunk& chunk, std::size_t i) {
  Worker& worker = *workers_[number];
  owners_[i] = number;
  Section* sections = sections_.data() + i * kShards;
  for (std::uint32_t s = 0; s < kShards; ++s)
    sections[s].begin = static_cast<std::uint32_t>(worker.boxes[s].size());
  each_node(chunk, [&](std::uint32_t s, std::uint32_t at) {
    if (wrong_[i].kind == Found::none) wrong_[i] = expand_node(worker, s, at);
  });
  for (std::uint32_t s = 0; s < kShards; ++s)
    sections[s].end = static_cast<std::uint32_t>(worker.boxes[s].size());
}

void ProductSearch::expand_pair(Moves& moves, Cartesian& cartesian, const std::uint64_t* words,
                                SetId set, MoveList& list) const {
  if (reductions_.partial_order && monitored_) cartesian.expand(words, set, list);
  else moves.expand(words, set, list);
}

void ProductSearch::send(Worker& worker, std::uint64_t* words, SetId set, NodeId from) {
  if (reductions_.symmetry) worker.symmetry.apply(words, monitor(worker), set);
  std::uint64_t* to = worker.boxes[hash_row(words, width_) % kShards].add(width_ + 1);
  for (std::size_t i = 0; i < width_; ++i) to[i] = words[i];
  to[width_] = std::uint64_t{set} << 32 | from;
}

ProductSearch::Wrong ProductSearch::expand_state(Worker& worker, std::uint32_t s,
                                                 std::uint32_t at) {
  const NodeId node = node_id(s, at);
  Wrong wrong;
  std::size_t steps = 0;
  for (std::uint32_t p = 0; p < program_.processes(); ++p)
    worker.moves.stepper().each_step(shards_[s].words(at), p,
                                     [&](const Step& step, std::uint64_t* to) {
                                       if (step.fault && wrong.kind == Found::none)
                                         wrong = {Found::fault, node, steps};
                                       if (wrong.kind == Found::none) send(worker, to, 0, node);
                                       ++steps;
                                     });
  worker.transitions += steps;
  return wrong;
}

ProductSearch::Wrong ProductSearch::expand_node(Worker& worker, std::uint32_t s, std::uint32_t at) {
  if (!monitored_) return expand_state(worker, s, at);
  const NodeId node = node_id(s, at);
  MoveList& list = worker.list;
  const std::uint64_t cuts_before = worker.moves.stepper().cuts();
  expand_pair(worker.moves, worker.cartesian, shards_[s].words(at), shards_[s].set(at), list);
  worker.transitions += list.list.size();
  for (std::size_t m = 0; m < list.list.size(); ++m) {
    if (list.list[m].fault) return {Found::fault, node, m};
    SetId set = list.list[m].set;
    if (set == Monitor::kEmpty) return {Found::unexplained, node, m};
    send(worker, list.states.data() + m * width_, set, node);
  }
  // With more nodes, a process could proceed.
  if (worker.moves.stepper().cuts() > cuts_before) return {};
  // No process can proceed. That is no violation if all have done what they should.
  std::uint32_t culprit = 0;
  if (list.stuck && !worker.monitor->may_be_stuck(shards_[s].set(at), culprit))
    return {Found::stuck, node, 0, culprit};
  return {};
}

void ProductSearch::empty_boxes(Worker& worker, std::uint32_t s, std::size_t chunks) {
  Shard& shard = shards_[s];
  auto& arrivals = worker.arrivals;
  arrivals.clear();
  for (std::size_t i = 0; i < chunks; ++i) {
    const Section& section = sections_[i * kShards + s];
    const std::uint64_t* box = workers_[owners_[i]]->boxes[s].data();
    for (std::uint32_t at = section.begin; at < section.end;
         at += static_cast<std::uint32_t>(width_) + 1)
      arrivals.emplace_back(hash_row(box + at, width_), box + at);
  }
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    if (i + 2 * kAhead < arrivals.size()) shard.prefetch_slot(arrivals[i + 2 * kAhead].first);
    if (i + kAhead < arrivals.size()) shard.prefetch_state(arrivals[i + kAhead].first);
    const auto [hash, at] = arrivals[i];
    shard.add(hash, at, static_cast<SetId>(at[width_] >> 32), static_cast<NodeId>(at[width_]),
              monitor(worker));
  }
}

Found refine(const model::Program& program, const SearchOptions& options, Budget& budget,
             SearchProgress* progress) {
  return ProductSearch(program, options, true, budget, progress).run();
}

Found explore(const model::Program& program, const SearchOptions& options, Budget& budget,
              SearchProgress* progress) {
  return ProductSearch(program, options, false, budget, progress).run();
}

}  // namespace plumb::refine
