// SPDX-License-Identifier: MIT
// What a checkpoint keeps of a search: the sets of the specification and the pairs that were met.
#include <algorithm>

#include "refine/search/product_search.hpp"

namespace plumb::refine {

// Numbers of states, configurations and sets are in what others have written, so all must get them
// again: they are entered in the order in which they were met. What becomes of sets is computed
// anew.
void Sets::transfer(Checkpoint& file) {
  std::uint64_t states = sequential_.size();
  file.transfer(states);
  for (std::uint32_t i = 0; i < states; ++i) {
    std::vector<model::Cell> cells;
    if (file.writing()) cells = sequential_.cells(i);
    file.transfer(cells);
    if (file.writing()) continue;
    note_hash(sequential_.number_of(std::move(cells)));
  }
  for (std::uint32_t which = 0; which < kStripes; ++which) {
    std::uint32_t count = configs_.size(which);
    file.transfer(count);
    std::vector<std::uint32_t> row(width_);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (file.writing()) std::copy_n(configs_[i * kStripes + which], width_, row.begin());
      file.transfer(row);
      if (!file.writing()) configs_.number(row);
    }
  }
  for (std::uint32_t which = 0; which < kStripes; ++which) {
    std::uint32_t count = stripes_[which].size;
    file.transfer(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      std::vector<Config> configs;
      if (file.writing()) {
        const auto all = members(i * kStripes + which + 1);
        configs.assign(all.begin(), all.end());
      }
      file.transfer(configs);
      if (!file.writing()) intern(configs);
    }
  }
}

void Shard::transfer(Checkpoint& file) {
  file.transfer(words_);
  file.transfer(heads_);
  file.transfer(nodes_);
  file.transfer(parents_);
  file.transfer(waiting_);
  file.transfer(first_waiting_);
  file.transfer(level_);
  file.transfer(dropped_);
  // With hash compaction only the index knows by which hash a state is found.
  std::vector<std::uint32_t> hashes(states());
  if (file.writing())
    index_.each([&](std::uint32_t number, std::uint32_t hash) { hashes[number] = hash; });
  file.transfer(hashes);
  if (file.writing()) return;
  const auto never = [](std::uint32_t) { return false; };
  for (std::uint32_t i = 0; i < hashes.size(); ++i)
    index_.find_or_insert(std::uint64_t{hashes[i]} << 32, i, never);
  if (kind_ == all_pairs)
    for (std::uint32_t n = 0; n < nodes_.size(); ++n)
      pairs_.find_or_insert(pair_hash(nodes_[n].state, nodes_[n].set), n, never);
}

Status ProductSearch::begin() {
  if (keeps_checkpoints() && Checkpoint::exists(checkpoint_)) return resume();
  enter_initial();
  return keeps_checkpoints() ? Checkpoint::try_out(checkpoint_) : Status();
}

Status ProductSearch::resume() {
  Result<std::unique_ptr<Checkpoint>> file = Checkpoint::read(checkpoint_);
  if (!file.ok()) return std::move(file.error());
  transfer(**file);
  for (const Shard& shard : shards_) found_.states_before += shard.nodes() - shard.dropped();
  return (*file)->finish();
}

bool ProductSearch::save_is_due() const {
  constexpr double kShare = 10;  // writing may take a tenth of the time
  return keeps_checkpoints() &&
         since(last_save_) >= std::max(checkpoint_.every_seconds, kShare * save_seconds_);
}

void ProductSearch::save() {
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

void ProductSearch::transfer(Checkpoint& file) {
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

}  // namespace plumb::refine
