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
// whoever did what, nothing is locked, and the shards that are looked up in next are known in time
// to fetch them from memory. Blocks keep the boxes small.
//
// Checkpoints (checkpoint.hpp) are made between two blocks. A block that was stopped in its first
// round has left no traces in the store, and is begun again; the second round is then finished,
// whatever the limits say.
//
// Native code (model/native/native.hpp) is asked for when the model turns out to be large, and used from
// the block on before which it is there.
//
// Symmetry: symmetry.hpp. A pair keeps only its parent. trace() walks the path again, looks for the
// move that leads from each pair to the next, and renames it back ("recover", section 4.2), so what
// comes out is a path of plain, unreduced steps.
#include "refine/search/product.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <thread>

#include "base/clock.hpp"
#include "base/crew.hpp"
#include "refine/search/cartesian.hpp"
#include "refine/search/moves.hpp"
#include "refine/search/store.hpp"
#include "refine/search/symmetry.hpp"

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

/// Words on their way to a shard.
class Box {
 public:
  /// Room for some more, to be filled in.
  std::uint64_t* add(std::size_t count) {
    if (size_ + count > capacity_) grow(count);
    size_ += count;
    return words_.get() + size_ - count;
  }
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  const std::uint64_t* data() const { return words_.get(); }

 private:
  void grow(std::size_t count) {
    capacity_ = std::max(2 * capacity_, size_ + count + 64);
    auto larger = std::make_unique_for_overwrite<std::uint64_t[]>(capacity_);
    std::copy_n(words_.get(), size_, larger.get());
    words_ = std::move(larger);
  }

  std::unique_ptr<std::uint64_t[]> words_;
  std::size_t size_ = 0, capacity_ = 0;
};

class Search {
 public:
  Search(const model::Program& program, const SearchOptions& options, bool monitored,
         Budget& budget, SearchProgress* progress)
      : program_(program), reductions_(options.reductions), criterion_(options.criterion),
        sets_(program, options.reductions.generators), monitored_(monitored),
        width_(program.layout.words), budget_(budget), progress_(progress),
        crew_(std::max(1u, options.jobs)), checkpoint_(options.checkpoint) {
    if (records(criterion_)) reductions_ = kNoReductions;
    reductions_.symmetry = reductions_.symmetry && Symmetry(program).any();
    // Where a step does more than its instructions say, which steps depend on it is not known.
    reductions_.partial_order = reductions_.partial_order && is_plain(program);
    const Shard::Kind kind = !monitored              ? Shard::states_only
                             : reductions_.antichain ? Shard::antichain
                                                     : Shard::all_pairs;
    shards_.assign(kShards, Shard(width_, kind, options.compact));
    for (unsigned i = 0; i < crew_.size(); ++i) workers_.push_back(std::make_unique<Worker>(*this));
    native_ = options.native;
    if (native_ == Native::at_once) {
      start_compiler();
      compiler_.join();
      use_native();
    }
  }
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;
  ~Search() {
    enough_ = true;
    if (compiler_.joinable()) compiler_.join();
  }

  Found run() {
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
    if (sets_.fault()) {
      found_.spec_fault = sets_.fault();
      found_.kind = Found::none;
      found_.verdict = Verdict::undecided;
    } else if (found_.kind != Found::none) {
      found_.verdict = Verdict::violation;
    } else if (found_.verdict != Verdict::holds) {
      found_.stopped = budget_.stopped();
    } else if (found_.cuts > 0) {
      found_.verdict = Verdict::undecided;
    }
    return std::move(found_);
  }

 private:
  /// Nodes of a level, from one on, in the order of the shards.
  struct Chunk {
    std::uint32_t shard, first, count;
  };
  /// Where a chunk found something wrong.
  struct Wrong {
    Found::Kind kind = Found::none;
    NodeId node = kNoNode;
    std::size_t move = 0;
    std::uint32_t culprit = 0;
  };
  struct Worker {
    explicit Worker(Search& search)
        : monitor(make_monitor(search.criterion_, search.sets_)),
          moves(search.program_, search.reductions_, search.monitored_ ? monitor.get() : nullptr,
                false),
          cartesian(search.program_, moves), symmetry(search.program_) {
      list.width = search.width_;
    }
    std::unique_ptr<Monitor> monitor;
    Moves moves;
    Cartesian cartesian;
    Symmetry symmetry;
    MoveList list;
    std::array<Box, kShards> boxes;  // words, then set and parent
    std::vector<std::pair<std::uint64_t, const std::uint64_t*>> arrivals;  // hash, and where it is
    std::uint64_t transitions = 0;
  };
  /// What a chunk put into a box of the worker that had it.
  struct Section {
    std::uint32_t begin, end;
  };

  static constexpr unsigned kNobody = ~0u;

  Monitor* monitor(Worker& worker) { return monitored_ ? worker.monitor.get() : nullptr; }
  bool going_on() {
    return found_.kind == Found::none && !sets_.faulty() && budget_.stopped() == Budget::Stop::none;
  }

  struct Tally {
    std::uint64_t transitions = 0, cuts = 0;
  };
  Tally tally() const {
    Tally all = before_;
    for (const auto& worker : workers_) {
      all.transitions += worker->transitions;
      all.cuts += worker->moves.stepper().cuts();
    }
    return all;
  }

  bool keeps_checkpoints() const { return !checkpoint_.file.empty(); }
  Status begin() {
    if (keeps_checkpoints() && Checkpoint::exists(checkpoint_)) return resume();
    enter_initial();
    return keeps_checkpoints() ? Checkpoint::try_out(checkpoint_) : Status();
  }
  Status resume() {
    Result<std::unique_ptr<Checkpoint>> file = Checkpoint::read(checkpoint_);
    if (!file.ok()) return std::move(file.error());
    transfer(**file);
    for (const Shard& shard : shards_) found_.states_before += shard.nodes() - shard.dropped();
    return (*file)->finish();
  }
  bool save_is_due() const {
    constexpr double kShare = 10;  // writing may take a tenth of the time
    return keeps_checkpoints() &&
           since(last_save_) >= std::max(checkpoint_.every_seconds, kShare * save_seconds_);
  }
  void save() {
    const auto start = Clock::now();
    Result<std::unique_ptr<Checkpoint>> file = Checkpoint::write(checkpoint_);
    Status done = file.ok() ? Status() : Status(std::move(file.error()));
    if (done.ok()) {
      transfer(**file);
      done = (*file)->finish();
    }
    found_.saved = done.ok();
    found_.unsaved.reset();
    if (!done.ok()) found_.unsaved = std::move(done.error());
    last_save_ = Clock::now();
    save_seconds_ = since(start);
  }
  /// All that is known between two blocks. What is only remembered to save time is not in it.
  void transfer(Checkpoint& file) {
    sets_.transfer(file);
    for (Shard& shard : shards_) shard.transfer(file);
    file.transfer(level_begins_);
    file.transfer(ends_);
    file.transfer(begins_);
    file.transfer(level_);
    file.transfer(at_);
    file.transfer(first_level_);
    file.transfer(expanded_);
    file.transfer(found_.depth);
    Tally all = before_block_;
    file.transfer(all);
    if (!file.writing()) before_ = before_block_ = all;
    model::Coverage coverage = found_.coverage;
    if (file.writing())
      for (const auto& worker : workers_) coverage.merge(worker->moves.stepper().coverage());
    file.transfer(coverage.code);
    file.transfer(coverage.returned);
    found_.coverage = std::move(coverage);
    double seconds = found_.seconds_before + since(start_);
    file.transfer(seconds);
    if (!file.writing()) found_.seconds_before = seconds;
  }

  /// The pair that everything begins with.
  SetId initial(std::vector<std::uint64_t>& words) {
    Worker& worker = *workers_[0];
    const model::Machine machine(program_);
    machine.pack(machine.initial().data(), words.data());
    SetId set = monitored_ ? worker.monitor->initial() : 0;
    if (reductions_.symmetry) worker.symmetry.apply(words.data(), monitor(worker), set);
    return set;
  }
  void enter_initial() {
    std::vector<std::uint64_t> words(width_);
    const SetId set = initial(words);
    const std::uint64_t hash = hash_row(words.data(), width_);
    shards_[hash % kShards].add(hash, words.data(), set, kNoNode, monitor(*workers_[0]));
  }

  /// Cuts what was added since the last time into chunks; false if that is nothing.
  bool next_level() {
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

  void work_on(std::size_t count, const Chunk* chunks) {
    sections_.resize(count * kShards);
    owners_.assign(count, kNobody);
    wrong_.assign(count, {});
    crew_.each(count, true, [&](unsigned worker, std::size_t i) {
      if (!sets_.faulty() && !budget_.exhausted()) expand(worker, chunks[i], i);
    });
    const auto is_wrong = [](const Wrong& wrong) { return wrong.kind != Found::none; };
    if (std::any_of(wrong_.begin(), wrong_.end(), is_wrong)) {
      // If it was cut just here, the others are made up for: what is found is not left to chance.
      if (keeps_checkpoints())
        crew_.each(count, true, [&](unsigned worker, std::size_t i) {
          if (owners_[i] == kNobody) expand(worker, chunks[i], i);
        });
      report(*std::find_if(wrong_.begin(), wrong_.end(), is_wrong));
    }
    if (going_on()) {
      std::size_t waiting = 0;
      for (const auto& worker : workers_)
        for (const auto& box : worker->boxes) waiting += box.size();
      crew_.each(kShards, waiting > kWorthSharing, [&](unsigned worker, std::size_t shard) {
        if (keeps_checkpoints() || !budget_.exhausted())
          empty_boxes(*workers_[worker], static_cast<std::uint32_t>(shard), count);
      });
      if (keeps_checkpoints() || going_on()) {
        for (std::size_t i = 0; i < count; ++i) expanded_ += alive(chunks[i]);
        at_ += count;
        before_block_ = tally();
      }
    }
    for (const auto& worker : workers_)
      for (auto& box : worker->boxes) box.clear();
    std::uint64_t nodes = 0;
    for (const Shard& shard : shards_) nodes += shard.nodes() - shard.dropped();
    if (native_ == Native::when_large && nodes > kLarge) start_compiler();
    if (compiled_.load(std::memory_order_acquire)) use_native();
    if (progress_) {
      progress_->states = nodes;
      progress_->waiting = nodes - std::min(nodes, expanded_);
      progress_->depth = found_.depth;
      progress_->transitions = tally().transitions;
    }
  }

  void start_compiler() {
    native_ = Native::never;
    compiler_ = std::thread([this, start = Clock::now()] {
      function_ = native::compile(program_, &enough_);
      compile_seconds_ = since(start);
      compiled_.store(true, std::memory_order_release);
    });
  }
  void use_native() {
    compiled_ = false;
    found_.native = function_ != nullptr;
    found_.compile_seconds = compile_seconds_;
    for (const auto& worker : workers_) worker->moves.stepper().use(function_);
  }

  /// Calls visit(shard, index) for the nodes of a chunk.
  template <class Visit>
  void each_node(const Chunk& chunk, Visit visit) const {
    std::uint32_t s = chunk.shard, at = chunk.first;
    for (std::uint32_t i = 0; i < chunk.count; ++i, ++at) {
      while (at == ends_[s]) at = level_begins_[++s];
      if (!shards_[s].dropped(at)) visit(s, at);
    }
  }
  std::uint64_t alive(const Chunk& chunk) const {
    std::uint64_t count = 0;
    each_node(chunk, [&](std::uint32_t, std::uint32_t) { ++count; });
    return count;
  }

  void expand(unsigned number, const Chunk& chunk, std::size_t i) {
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

  void expand_pair(Moves& moves, Cartesian& cartesian, const std::uint64_t* words, SetId set,
                   MoveList& list) const {
    if (reductions_.partial_order && monitored_) cartesian.expand(words, set, list);
    else moves.expand(words, set, list);
  }

  void send(Worker& worker, std::uint64_t* words, SetId set, NodeId from) {
    if (reductions_.symmetry) worker.symmetry.apply(words, monitor(worker), set);
    std::uint64_t* to = worker.boxes[hash_row(words, width_) % kShards].add(width_ + 1);
    for (std::size_t i = 0; i < width_; ++i) to[i] = words[i];
    to[width_] = std::uint64_t{set} << 32 | from;
  }

  /// Without a specification every plain step is a move.
  Wrong expand_state(Worker& worker, std::uint32_t s, std::uint32_t at) {
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

  Wrong expand_node(Worker& worker, std::uint32_t s, std::uint32_t at) {
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
    // With more nodes, somebody could proceed.
    if (worker.moves.stepper().cuts() > cuts_before) return {};
    // Nobody can proceed. Processes that have done all they should are no reason to complain.
    std::uint32_t culprit = 0;
    if (list.stuck && !worker.monitor->may_be_stuck(shards_[s].set(at), culprit))
      return {Found::stuck, node, 0, culprit};
    return {};
  }

  void empty_boxes(Worker& worker, std::uint32_t s, std::size_t chunks) {
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

  void report(const Wrong& wrong) {
    found_.kind = wrong.kind;
    const std::vector<std::uint32_t> real =
        trace(wrong.node, wrong.kind == Found::stuck ? nullptr : &wrong.move);
    found_.culprit = real[wrong.culprit];
  }

  // Walks from the start to a node, and one move on; fills in found_.trace.
  // Returns: which real process each of the node's processes is.
  std::vector<std::uint32_t> trace(NodeId node, const std::size_t* last) {
    std::vector<NodeId> path;
    for (NodeId n = node; n != kNoNode; n = shards_[n % kShards].parent(n / kShards))
      path.push_back(n);
    std::reverse(path.begin(), path.end());
    std::vector<std::uint32_t> real(program_.processes());
    std::iota(real.begin(), real.end(), 0u);
    Worker& worker = *workers_[0];
    Moves moves(program_, reductions_, monitor(worker), true);
    Cartesian cartesian(program_, moves);
    MoveList& list = worker.list;
    const auto emit = [&](std::size_t m) {
      for (const PlainStep& step : list.path(m))
        found_.trace.push_back({real[step.process], step.ordinal});
    };
    std::vector<std::uint64_t> at(width_);
    SetId set = initial(at);
    for (std::size_t i = 1; i < path.size(); ++i) {
      const Shard& shard = shards_[path[i] % kShards];
      const std::uint32_t child = path[i] / kShards;
      expand_pair(moves, cartesian, at.data(), set, list);
      for (std::size_t m = 0; m < list.list.size(); ++m) {
        set = list.list[m].set;
        if (list.list[m].fault || (monitored_ && set == Monitor::kEmpty)) continue;
        std::copy_n(list.words(m), width_, at.begin());
        const bool renamed =
            reductions_.symmetry && worker.symmetry.apply(at.data(), monitor(worker), set);
        if (set != shard.set(child) || !shard.is_of(child, at.data())) continue;
        emit(m);
        if (renamed) {
          const std::vector<std::uint32_t> old = real;
          for (std::size_t p = 0; p < real.size(); ++p) real[p] = old[worker.symmetry.order()[p]];
        }
        break;
      }
    }
    expand_pair(moves, cartesian, at.data(), set, list);
    if (last) emit(*last);
    return real;
  }

  const model::Program& program_;
  Reductions reductions_;
  const Criterion criterion_;
  Sets sets_;
  const bool monitored_;
  const std::size_t width_;
  Budget& budget_;
  SearchProgress* progress_;
  Crew crew_;
  std::vector<Shard> shards_;
  std::vector<std::unique_ptr<Worker>> workers_;
  // By shard: where the level begins and ends, and where the next one begins.
  std::array<std::uint32_t, kShards> level_begins_{}, ends_{}, begins_{};
  std::vector<Chunk> level_;
  std::uint64_t at_ = 0;  // chunks of the level that are done
  bool first_level_ = true;
  // Of the block, by chunk.
  std::vector<Section> sections_;
  std::vector<unsigned> owners_;
  std::vector<Wrong> wrong_;
  std::uint64_t expanded_ = 0;
  Found found_;
  // Checkpoints.
  const CheckpointOptions checkpoint_;
  Tally before_, before_block_;  // of earlier runs; until the last block was done
  const Clock::time_point start_ = Clock::now();
  Clock::time_point last_save_ = start_;
  double save_seconds_ = 0;
  // Native code, made in a thread of its own.
  Native native_ = Native::never;  // when it is still to be asked for
  std::thread compiler_;
  std::atomic<bool> enough_{false}, compiled_{false};
  native::StepsFunction function_ = nullptr;
  double compile_seconds_ = 0;
};

}  // namespace

Found refine(const model::Program& program, const SearchOptions& options, Budget& budget,
             SearchProgress* progress) {
  return Search(program, options, true, budget, progress).run();
}

Found explore(const model::Program& program, const SearchOptions& options, Budget& budget,
              SearchProgress* progress) {
  return Search(program, options, false, budget, progress).run();
}

}  // namespace plumb::refine
