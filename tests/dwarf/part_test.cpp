// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <bitset>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dwarf/own_file.hpp"
#include "dwarf/type.hpp"

namespace plumb::dwarf {
namespace {

// As plumb::detail::create_object: its template argument is how a type is found.
template <class T>
[[gnu::noinline]] T* make() {
  return new T();
}

struct Node {
  std::atomic<int> value{0};
  std::atomic<Node*> next{nullptr};
};
struct Empty {};
struct Base : Empty {
  int in_base = 0;
  virtual ~Base() = default;
};
struct Pair {
  void* pointer;
  std::uint64_t tag;
};
struct Subject : Base {
  std::array<std::atomic<int>, 4> slots{};
  alignas(64) std::atomic<unsigned> back{0};
  int grid[2][3]{};
  struct {
    char first;
    int second;
  } unnamed{};
  union {
    int as_int = 0;
    char as_char;
  };
  union Word {
    char small;
    std::uint64_t large;
  } word{};
  Node nodes[2];
  std::mutex mutex;
  std::condition_variable changed;
  pthread_mutex_t plain_mutex{};
  std::unique_ptr<Node> owned;
  std::shared_ptr<Node> shared;
  std::vector<int> items;
  std::optional<int> maybe;
  std::pair<int, Node> both;
  std::deque<int> queue;
  std::tuple<int, int, int> triple;
  std::bitset<128> bits;
  std::map<int, int> tree;
  alignas(16) std::atomic<Pair> tagged{};
  const long qualified = 0;
  static inline int shared_by_all = 1;
};
int global_row[3] = {1, 2, 3};

class Parts : public testing::Test {
 protected:
  void SetUp() override {
    file_ = own_file();
    ASSERT_NE(file_, nullptr);
    const std::uint64_t pc = in_file(reinterpret_cast<const void*>(&make<Subject>));
    unit_ = file_->unit_at(pc);
    ASSERT_NE(unit_, nullptr);
    Dwarf_Die* const function = unit_->function_at(pc);
    ASSERT_NE(function, nullptr);
    type_ = Type::first_argument(*function, *unit_);
    ASSERT_TRUE(type_);
  }
  Part at(const void* address, std::uint64_t size) const {
    const auto offset = static_cast<const char*>(address) - reinterpret_cast<const char*>(&s_);
    return part_of(*type_, static_cast<std::uint64_t>(offset), size);
  }
  std::string name(const void* address, std::uint64_t size) const { return at(address, size).path; }

  std::unique_ptr<DebugFile> file_;
  Unit* unit_ = nullptr;
  std::optional<Type> type_;
  Subject s_;
};

TEST_F(Parts, MembersOfTheUserAreNamedAndThoseOfTheLibraryAreSeenThrough) {
  EXPECT_EQ(type_->name(), "Subject");
  EXPECT_EQ(type_->size(), sizeof(Subject));
  EXPECT_EQ(name(&s_.slots[1], 4), ".slots[1]");
  EXPECT_EQ(name(&s_.back, 4), ".back");
  EXPECT_EQ(name(&s_.grid[1][2], 4), ".grid[1][2]");
  EXPECT_EQ(name(&s_.unnamed.second, 4), ".unnamed.second");
  EXPECT_EQ(name(&s_.nodes[1].next, 8), ".nodes[1].next");
  EXPECT_EQ(name(&s_.qualified, 8), ".qualified");
  EXPECT_EQ(name(&s_.both.first, 4), ".both.first");
  EXPECT_EQ(name(&s_.both.second.value, 4), ".both.second.value");
  EXPECT_EQ(name(&s_.owned, 8), ".owned");
  EXPECT_EQ(name(&s_.shared, 8), ".shared");
  EXPECT_EQ(name(&s_.maybe, 4), ".maybe");
}

TEST_F(Parts, MembersOfBasesAreNamedAsIfTheyWereItsOwn) {
  EXPECT_EQ(name(&s_.in_base, 4), ".in_base");
  EXPECT_EQ(name(&s_, 8), ".vptr");
}

TEST_F(Parts, OfAUnionItIsTheFirstMemberOfThatSize) {
  EXPECT_EQ(name(&s_.as_int, 4), ".as_int");
  EXPECT_EQ(name(&s_.as_char, 1), ".as_char");
  EXPECT_EQ(name(&s_.word, 1), ".word.small");
  EXPECT_EQ(name(&s_.word, 8), ".word.large");
}

TEST_F(Parts, LocksAndAtomicsHaveNoParts) {
  EXPECT_EQ(name(&s_.mutex, 0), ".mutex");
  EXPECT_EQ(name(reinterpret_cast<char*>(&s_.mutex) + 8, 4), ".mutex");
  EXPECT_EQ(name(&s_.changed, 0), ".changed");
  EXPECT_EQ(name(&s_.plain_mutex, 0), ".plain_mutex");
  EXPECT_EQ(name(&s_.tagged, 16), ".tagged");
}

TEST_F(Parts, OfOtherTypesOfTheLibraryTheMemberIsNamedWithoutTheWayThere) {
  const auto* const items = reinterpret_cast<const char*>(&s_.items);
  const std::string begin = name(items, 8);
  const std::string end = name(items + 8, 8);
  EXPECT_TRUE(begin.starts_with(".items._")) << begin;
  EXPECT_TRUE(end.starts_with(".items._")) << end;
  EXPECT_NE(begin, end);
}

TEST_F(Parts, NoTwoPartsHaveOneName) {
  for (const auto& [begin, bytes] : {std::pair<const void*, std::size_t>{&s_.queue, 80},
                                     {&s_.triple, 12},
                                     {&s_.bits, 16},
                                     {&s_.items, 24},
                                     {&s_.tree, 48}}) {
    std::set<std::string> names;
    const std::size_t step = begin == &s_.triple ? 4 : 8;
    for (std::size_t i = 0; i < bytes; i += step) {
      const Part part = at(static_cast<const char*>(begin) + i, step);
      if (!part.is_whole) continue;
      EXPECT_TRUE(names.insert(part.path).second) << part.path;
    }
    EXPECT_GE(names.size(), 2U);
  }
}

TEST_F(Parts, WhatTwoMembersShareIsTheWholeThatHasBoth) {
  const Part both = at(&s_.nodes[0], 16);
  EXPECT_EQ(both.path, ".nodes[0]");
  EXPECT_TRUE(both.is_whole);
  const Part row = at(&s_.grid[0][1], 8);
  EXPECT_EQ(row.path, ".grid");
  EXPECT_FALSE(row.is_whole);
  EXPECT_EQ(row.offset, 4U);
  const Part half = at(reinterpret_cast<const char*>(&s_.back) + 2, 2);
  EXPECT_EQ(half.path, ".back");
  EXPECT_EQ(half.offset, 2U);
  EXPECT_FALSE(half.is_whole);
}

TEST_F(Parts, PointersSayWhatTheyPointTo) {
  for (const void* const pointer :
       {static_cast<const void*>(&s_.nodes[0].next), static_cast<const void*>(&s_.owned),
        static_cast<const void*>(&s_.shared)}) {
    const Part part = at(pointer, 8);
    ASSERT_TRUE(part.type);
    EXPECT_TRUE(part.is_whole);
    const std::optional<Type> target = part.type->pointee();
    ASSERT_TRUE(target) << part.path;
    EXPECT_EQ(target->name(), "Node");
    EXPECT_EQ(part_of(*target, offsetof(Node, next), 8).path, ".next");
    EXPECT_FALSE(target->is_base());
  }
  EXPECT_FALSE(at(&s_.back, 4).type->pointee());
}

TEST_F(Parts, GlobalsAreFoundByAnyAddressInsideThem) {
  const auto* const inside = reinterpret_cast<const char*>(&global_row[2]);
  const std::optional<DebugFile::Global> row = file_->global_at(in_file(inside + 1));
  ASSERT_TRUE(row);
  EXPECT_EQ(row->name, "global_row");
  EXPECT_EQ(row->address, in_file(&global_row));
  EXPECT_EQ(part_of(row->type, 8, 4).path, "[2]");
  const std::optional<DebugFile::Global> shared =
      file_->global_at(in_file(&Subject::shared_by_all));
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->name, "Subject::shared_by_all");
  EXPECT_FALSE(file_->global_at(8));
}

TEST_F(Parts, ATypeThatOthersDeriveFromIsABase) {
  const std::uint64_t pc = in_file(reinterpret_cast<const void*>(&make<Base>));
  const std::optional<Type> base = Type::first_argument(*unit_->function_at(pc), *unit_);
  ASSERT_TRUE(base);
  EXPECT_TRUE(base->is_base());
}

}  // namespace
}  // namespace plumb::dwarf
