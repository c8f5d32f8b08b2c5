// SPDX-License-Identifier: MIT
// Conflict serializability against its definition: on random small executions, is there an order of
// the transactions in which all conflicting accesses are in the order in which they happened?
#include "explore/conflict_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "explore/memory.hpp"

namespace plumb::explore::test {
namespace {

using Accesses = std::vector<Accessed>;

Accessed access(int thread, int transaction, std::uint64_t address, std::uint32_t size,
                Touch touch) {
  return {.access = {address, size, touch},
          .thread = static_cast<std::uint8_t>(thread),
          .operation = transaction,
          .transaction = transaction};
}

bool covers(const Accessed& a, std::uint64_t byte) {
  return a.access.address <= byte && byte < a.access.address + a.access.size;
}

// Byte by byte: both touch it, one writes it, and it was not allocated anew in between.
bool must_stay(const Accesses& all, std::size_t first, std::size_t second) {
  const Accessed& a = all[first];
  const Accessed& b = all[second];
  if (a.thread == b.thread) return true;
  if (a.is_new || b.is_new) return false;
  if (a.access.touch == Touch::read && b.access.touch == Touch::read) return false;
  for (std::uint64_t i = 0; i < a.access.size; ++i) {
    const std::uint64_t byte = a.access.address + i;
    if (!covers(b, byte)) continue;
    const auto allocates = [&](const Accessed& x) { return x.is_new && covers(x, byte); };
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(first);
    const auto to = all.begin() + static_cast<std::ptrdiff_t>(second);
    if (std::none_of(from, to, allocates)) return true;
  }
  return false;
}

using Matrix = std::vector<std::vector<bool>>;

// [a][b]: transaction a has something that must stay before something of b.
Matrix orders(const Accesses& all, int transactions) {
  const auto n = static_cast<std::size_t>(transactions);
  Matrix before(n, std::vector<bool>(n, false));
  for (std::size_t second = 0; second < all.size(); ++second) {
    for (std::size_t first = 0; first < second; ++first) {
      const auto a = static_cast<std::size_t>(all[first].transaction);
      const auto b = static_cast<std::size_t>(all[second].transaction);
      if (a != b && must_stay(all, first, second)) before[a][b] = true;
    }
  }
  return before;
}

// The same, but within a thread only of neighbours.
Matrix edges(const Accesses& all, int transactions) {
  Matrix before = orders(all, transactions);
  std::map<int, std::vector<std::size_t>> threads;  // their transactions, in order
  for (const Accessed& a : all) {
    std::vector<std::size_t>& mine = threads[a.thread];
    const auto transaction = static_cast<std::size_t>(a.transaction);
    if (mine.empty() || mine.back() != transaction) mine.push_back(transaction);
  }
  for (const auto& [thread, mine] : threads) {
    for (std::size_t i = 0; i < mine.size(); ++i) {
      for (std::size_t k = i + 2; k < mine.size(); ++k) before[mine[i]][mine[k]] = false;
    }
  }
  return before;
}

bool some_order_fits(const Matrix& before) {
  std::vector<std::size_t> order(before.size());
  std::iota(order.begin(), order.end(), 0);
  do {
    bool fits = true;
    for (std::size_t i = 0; i < order.size() && fits; ++i) {
      for (std::size_t k = 0; k < i && fits; ++k) fits = !before[order[i]][order[k]];
    }
    if (fits) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

// By powers of the matrix; 0: there is no cycle.
std::size_t length_of_shortest_cycle(const Matrix& one) {
  Matrix walks = one;
  for (std::size_t length = 1; length <= one.size(); ++length) {
    for (std::size_t t = 0; t < one.size(); ++t) {
      if (walks[t][t]) return length;
    }
    Matrix longer(one.size(), std::vector<bool>(one.size(), false));
    for (std::size_t a = 0; a < one.size(); ++a) {
      for (std::size_t b = 0; b < one.size(); ++b) {
        for (std::size_t c = 0; c < one.size() && !longer[a][b]; ++c)
          longer[a][b] = walks[a][c] && one[c][b];
      }
    }
    walks = std::move(longer);
  }
  return 0;
}

struct Trace {
  Accesses accesses;
  int transactions = 0;
};

// Up to three threads and six transactions on two or three words, with accesses that overlap in
// part.
template <class Random>
Trace random_trace(Random& random) {
  const auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  Trace trace;
  const int threads = draw(2, 3);
  const int words = draw(1, 3);
  const int length = draw(2, 14);
  const int ends = draw(2, 6);  // one access in so many ends its transaction
  std::vector<int> current(static_cast<std::size_t>(threads), -1);
  for (int i = 0; i < length; ++i) {
    const int thread = draw(0, threads - 1);
    int& transaction = current[static_cast<std::size_t>(thread)];
    if (transaction < 0) {
      if (trace.transactions == 6) continue;
      transaction = trace.transactions++;
    }
    const int word = draw(0, words - 1);
    const auto base = static_cast<std::uint64_t>(0x1000 + 8 * word);
    const Touch touch = draw(0, 2) == 0   ? Touch::read
                        : draw(0, 4) != 0 ? Touch::write
                        : draw(0, 1) == 0 ? Touch::acquire
                                          : Touch::release;
    Accessed a = access(thread, transaction, base, 8, touch);
    if (draw(0, 9) == 0) {
      a.is_new = true;
      a.access.touch = Touch::write;
    } else if (draw(0, 1) == 0) {
      const auto first = static_cast<std::uint64_t>(draw(0, 7));
      a.access.address = base + first;
      a.access.size = static_cast<std::uint32_t>(draw(1, 12));  // perhaps into the next word
    }
    trace.accesses.push_back(a);
    if (draw(1, ends) == 1) transaction = -1;
  }
  return trace;
}

// Where the cycle is, and that it is one.
void expect_cycle(const std::vector<Conflict>& cycle, const Matrix& before) {
  ASSERT_FALSE(cycle.empty());
  std::set<int> seen;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const auto& [first, second] = cycle[i];
    EXPECT_TRUE(before[static_cast<std::size_t>(first.transaction)]
                      [static_cast<std::size_t>(second.transaction)]);
    EXPECT_EQ(second.transaction, cycle[(i + 1) % cycle.size()].first.transaction);
    EXPECT_TRUE(seen.insert(first.transaction).second);
    if (first.thread == second.thread) continue;
    EXPECT_TRUE(first.access.touch != Touch::read || second.access.touch != Touch::read);
    EXPECT_LT(first.access.address, second.access.address + second.access.size);
    EXPECT_LT(second.access.address, first.access.address + first.access.size);
  }
}

TEST(ConflictGraph, HasACycleExactlyIfNoOrderOfTheTransactionsFits) {
  const std::uint64_t count = number_from("PLUMB_TRACES_N", 300'000);
  std::mt19937_64 random(plumb::test::seed());
  std::uint64_t serializable = 0, others = 0;
  std::map<std::size_t, std::uint64_t> lengths;
  Draws draws(count);
  draws.until("serializable", serializable, count / 10).until("others", others, count / 10);
  for (const std::size_t length : {2, 3, 4})
    draws.until("cycles of " + std::to_string(length), lengths[length]);
  for (const std::uint64_t i : draws) {
    const Trace trace = random_trace(random);
    const Matrix before = orders(trace.accesses, trace.transactions);
    const ConflictGraph graph(trace.accesses);
    const bool fits = some_order_fits(before);
    ASSERT_EQ(graph.has_cycle(), !fits) << "trace " << i;
    const std::vector<Conflict> cycle = graph.shortest_cycle();
    ASSERT_EQ(cycle.empty(), fits) << "trace " << i;
    ++(fits ? serializable : others);
    ++lengths[cycle.size()];
    if (fits) continue;
    expect_cycle(cycle, before);
    const Matrix one = edges(trace.accesses, trace.transactions);
    ASSERT_EQ(cycle.size(), length_of_shortest_cycle(one)) << "trace " << i;
    ASSERT_FALSE(HasFailure()) << "trace " << i;
  }
  EXPECT_EQ(draws.lacks(), "");
}

// Line-Up, 5.6, the first reason: what is read before a compare-and-swap that fails.
TEST(ConflictGraph, ATryThatIsRepeatedIsACycle) {
  const Accesses all = {access(1, 0, 8, 8, Touch::read), access(2, 1, 8, 8, Touch::read),
                        access(2, 1, 8, 8, Touch::write), access(1, 0, 8, 8, Touch::read),
                        access(1, 0, 8, 8, Touch::write)};
  const ConflictGraph graph(all);
  ASSERT_TRUE(graph.has_cycle());
  const std::vector<Conflict> cycle = graph.shortest_cycle();
  ASSERT_EQ(cycle.size(), 2U);
  EXPECT_EQ(cycle[0].first.transaction, 0);
  EXPECT_EQ(cycle[0].second.transaction, 1);
  EXPECT_EQ(cycle[0].second.access.touch, Touch::write);
  EXPECT_EQ(cycle[1].first.transaction, 1);
}

TEST(ConflictGraph, OneCriticalSectionIsNoCycleAndTwoAre) {
  const auto section = [](int thread) {
    return Accesses{access(thread, thread, 8, 4, Touch::acquire),
                    access(thread, thread, 16, 8, Touch::write),
                    access(thread, thread, 8, 4, Touch::release)};
  };
  Accesses all = section(0);
  const Accesses other = section(1);
  all.insert(all.end(), other.begin(), other.end());
  EXPECT_FALSE(ConflictGraph(all).has_cycle());
  const Accesses again = section(0);
  all.insert(all.end(), again.begin(), again.end());
  EXPECT_TRUE(ConflictGraph(all).has_cycle());
}

TEST(ConflictGraph, ABlockThatIsAllocatedAgainIsAnotherOne) {
  Accesses all = {access(0, 0, 8, 8, Touch::write), access(1, 1, 8, 8, Touch::write),
                  access(0, 0, 8, 8, Touch::write)};
  EXPECT_TRUE(ConflictGraph(all).has_cycle());
  all.insert(all.begin() + 2, access(0, 0, 8, 8, Touch::write));
  all[2].is_new = true;
  EXPECT_FALSE(ConflictGraph(all).has_cycle());
}

TEST(ConflictGraph, TheOrderOfAThreadCounts) {
  // Of thread 1, before what thread 0 does first, and after what it does next.
  Accesses all = {access(1, 0, 8, 8, Touch::read), access(0, 1, 8, 8, Touch::write),
                  access(0, 2, 16, 8, Touch::write), access(1, 0, 16, 8, Touch::read)};
  EXPECT_EQ(ConflictGraph(all).shortest_cycle().size(), 3U);
  all[2].thread = 2;
  EXPECT_FALSE(ConflictGraph(all).has_cycle());
}

TEST(ConflictGraph, NothingIsSerializable) { EXPECT_FALSE(ConflictGraph({}).has_cycle()); }

}  // namespace
}  // namespace plumb::explore::test
