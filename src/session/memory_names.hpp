// SPDX-License-Identifier: MIT
// Memory by the names that the source has for it: "head_->next" instead of an address in a block.
//
// What is known at first: the object under test with its type, globals, and the local variables of
// the main thread (those of the others are seldom shared, and have the same names in each). A
// pointer in what is known, to U, says that there is a U where it points to, as long as that block
// lives; that block's pointers say more. All this is seen in the trace: the values that were loaded
// and stored.
//
// A path through pointers is true of a step if they had these values then. So the trace is
// followed once more, with the values that are in memory. A path goes only through pointers that
// the thread has read, and that were not changed since: so it is how the thread came there. If
// there is none, or only a long one, "Node #2.next" says which type and which block.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dwarf/type.hpp"
#include "session/symbols.hpp"
#include "session/watch.hpp"

namespace plumb::session {

/// "Node " block ".next"; without a block, or all of it empty: not known.
struct MemoryName {
  std::string before;
  std::uint64_t block = 0;
  std::string after;

  bool is_known() const { return block != 0 || !before.empty(); }
};

class MemoryNames {
 public:
  /// Of a step: its memory, and the values before and after.
  struct OfStep {
    MemoryName place, before, after;
  };

  MemoryNames(const Shown& shown, const Symbols& symbols);

  /// Requires: steps are asked for in their order, each once.
  OfStep of(std::size_t step);

 private:
  /// An object, while it is there: during these steps.
  struct Region {
    std::uint64_t begin, size;
    dwarf::Type type;
    std::uint64_t block;      // of the heap; 0: none
    std::size_t born, died;   // steps
    std::string name;         // of a variable
    bool is_root = false;     // the object under test, or a variable
    std::uint64_t count = 1;  // elements of this type, at most
  };
  struct Address {
    std::uint64_t address, size;
    std::uint64_t block;
    std::uint64_t block_bytes;
    std::size_t step;
    int thread;
  };
  /// What is known of an address.
  struct Found {
    const Region* region;
    std::uint64_t index;  // of an element
    dwarf::Part part;     // of it
  };
  /// A pointer in memory.
  struct Cell {
    std::uint64_t value, block, block_bytes;
    std::map<int, std::size_t> seen;  // by whom it was read, and when last
  };

  void find_ends();
  void find_root(const runtime::TracedObject& object);
  void find_regions();
  void note_pointers(std::size_t step, std::vector<std::uint64_t>& found);
  std::size_t last_write(std::uint64_t address, std::size_t step) const;
  bool add(Region region);
  std::pair<std::size_t, std::size_t> life(std::uint64_t block, std::size_t step) const;

  std::optional<Found> find(const Address& address);
  const Region* region_at(const Address& address);
  const Region* variable_at(std::uint64_t address);
  const Region* local_at(std::uint64_t address, std::size_t step);
  const Region* add_variable(const Symbols::Variable& variable, std::size_t born, std::size_t died);
  const dwarf::Part& part_of(const dwarf::Type& type, std::uint64_t offset, std::uint64_t size);

  bool has_inside(const Region& region, const Region& other);
  MemoryName name(const Address& address, int arrows);
  MemoryName name_of_block(const Address& address);
  static std::string root_name(const Region& region, const std::string& path);
  std::string path_to(const Region& region, const Address& from, int arrows);
  MemoryName value_name(const Found* at, std::uint64_t value, Address where);
  void follow(std::size_t step);
  std::size_t step_of_contents(std::size_t step) const;
  void set(const runtime::TraceStep& step, std::uint64_t value, std::size_t when);
  void forget(std::uint64_t begin, std::uint64_t end);

  const Shown& shown_;
  const std::vector<runtime::TraceStep>& trace_;
  const Symbols& symbols_;
  std::map<std::uint64_t, std::vector<std::size_t>> ends_;    // of blocks: when they were freed
  std::map<std::uint64_t, std::vector<std::size_t>> writes_;  // of pointers, by their addresses
  std::map<std::uint64_t, std::deque<Region>> regions_;       // by block; 0: the others
  std::set<std::uint64_t> no_variables_;                      // addresses that are of none
  std::map<std::string, std::uint64_t> locals_;               // the first of this name
  std::vector<std::size_t> main_steps_;                       // of the main thread
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, dwarf::Part> parts_;
  std::map<std::uint64_t, Cell> cells_;                        // as they are before step next_
  std::map<std::uint64_t, std::set<std::uint64_t>> pointers_;  // cells by value
  std::size_t next_ = 0;
};

}  // namespace plumb::session
