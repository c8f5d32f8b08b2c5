// SPDX-License-Identifier: MIT
// The search of product.cpp as a class: recover.cpp walks back from what it found, kept.cpp writes
// and reads its checkpoints.
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/crew.hpp"
#include "refine/search/box.hpp"
#include "refine/search/cartesian.hpp"
#include "refine/search/compiling.hpp"
#include "refine/search/moves.hpp"
#include "refine/search/product.hpp"
#include "refine/search/store.hpp"
#include "refine/search/symmetry.hpp"

namespace plumb::refine {

class ProductSearch {
 public:
  ProductSearch(const model::Program& program, const SearchOptions& options, bool monitored,
                Budget& budget, SearchProgress* progress);
  ProductSearch(const ProductSearch&) = delete;
  ProductSearch& operator=(const ProductSearch&) = delete;

  Found run();

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
    explicit Worker(ProductSearch& search)
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

  static constexpr unsigned kNoWorker = ~0u;

  Monitor* monitor(Worker& worker) { return monitored_ ? worker.monitor.get() : nullptr; }
  bool going_on() const {
    return found_.kind == Found::none && !sets_.faulty() &&
           budget_.stopped() == Budget::Stop::none && !full_;
  }

  struct Tally {
    std::uint64_t transitions = 0, cuts = 0;
  };
  Tally tally() const;

  void count();
  void conclude();

  bool keeps_checkpoints() const { return !checkpoint_.file.empty(); }
  Status begin();
  Status resume();
  bool save_is_due() const;
  void save();
  /// All that is known between two blocks. What is only remembered to save time is not in it.
  void transfer(Checkpoint& file);

  /// The pair that everything begins with.
  SetId initial(std::vector<std::uint64_t>& words);
  void enter_initial();

  /// Cuts what was added since the last time into chunks; false if that is nothing.
  bool next_level();

  void work_on(std::size_t count, const Chunk* chunks);

  /// The first round of a block: chunks to boxes.
  void expand_all(std::size_t count, const Chunk* chunks);

  /// The second round: boxes to shards.
  void empty_all(std::size_t count);

  void after_block();

  /// From here on, if it is there.
  void use_native();

  /// Calls visit(shard, index) for the nodes of a chunk.
  template <class Visit>
  void each_node(const Chunk& chunk, Visit visit) const {
    std::uint32_t s = chunk.shard, at = chunk.first;
    for (std::uint32_t i = 0; i < chunk.count; ++i, ++at) {
      while (at == ends_[s]) at = level_begins_[++s];
      if (!shards_[s].dropped(at)) visit(s, at);
    }
  }
  std::uint64_t alive(const Chunk& chunk) const;
  void expand(unsigned number, const Chunk& chunk, std::size_t i);

  void expand_pair(Moves& moves, Cartesian& cartesian, const std::uint64_t* words, SetId set,
                   MoveList& list) const;
  void send(Worker& worker, std::uint64_t* words, SetId set, NodeId from);

  /// Without a specification every plain step is a move.
  Wrong expand_state(Worker& worker, std::uint32_t s, std::uint32_t at);
  Wrong expand_node(Worker& worker, std::uint32_t s, std::uint32_t at);
  void empty_boxes(Worker& worker, std::uint32_t s, std::size_t chunks);
  void report(const Wrong& wrong);

  /// Walks from the start to a node, and one move on; fills in found_.trace.
  /// Returns: which real process each of the node's processes is.
  std::vector<std::uint32_t> trace(NodeId node, const std::size_t* last);

  const model::Program& program_;
  Reductions reductions_;
  const Criterion criterion_;
  Sets sets_;
  const bool monitored_;
  const std::size_t width_;
  Budget& budget_;
  SearchProgress* progress_;
  const std::uint64_t most_transitions_;
  bool full_ = false;  // it has made as many
  Crew crew_;
  std::vector<Shard> shards_;
  std::vector<std::unique_ptr<Worker>> workers_;
  /// By shard: where the level begins and ends, and where the next one begins.
  std::array<std::uint32_t, kShards> level_begins_{}, ends_{}, begins_{};
  std::vector<Chunk> level_;
  std::uint64_t at_ = 0;  // chunks of the level that are done
  bool first_level_ = true;
  /// Of the block, by chunk.
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
  Native native_;  // when it is still to be asked for
  Compiling compiling_;
};

}  // namespace plumb::refine
