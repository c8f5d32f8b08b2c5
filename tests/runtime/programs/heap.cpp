// SPDX-License-Identifier: MIT
// Blocks of the heap: where they end, and very large ones.
#include "program.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

namespace {

volatile std::size_t kilobyte = 1024;  // so that the compiler does not see sizes

template <class F>
void in_a_thread(F f) {
  std::thread other(f);
  other.join();
}

}  // namespace

PLUMB_FINDS("out-of-bounds", byte_after_the_end) {
  const std::unique_ptr<volatile char[]> text(new char[13]{});
  in_a_thread([&] { text[13] = 1; });
}

// Through a volatile pointer: the compiler would warn.
PLUMB_FINDS("bad-free", free_of_a_local) {
  in_a_thread([] {
    int local = 0;
    int* volatile p = &local;
    std::free(p);
  });
}

PLUMB_FINDS("bad-free", delete_of_a_global) {
  static int global = 0;
  int* volatile p = &global;
  in_a_thread([&] { delete p; });
}

PLUMB_FINDS("bad-free", delete_of_an_array) {
  int* volatile p = new int[4];
  in_a_thread([&] { delete p; });
}

PLUMB_FINDS("bad-free", delete_array_of_an_object) {
  int* volatile p = new int;
  in_a_thread([&] { delete[] p; });
}

PLUMB_FINDS("bad-free", free_of_an_object) {
  int* volatile p = new int;
  in_a_thread([&] { std::free(p); });
}

PLUMB_HOLDS(each_is_freed_as_it_was_made) {
  in_a_thread([] {
    for (int i = 0; i < 3; ++i) {
      delete new int;
      delete[] new int[4];
      delete new (std::nothrow) int;
      delete[] new (std::nothrow) int[4];
#ifdef __cpp_sized_deallocation
      ::operator delete (::operator new(8), std::size_t{8});
#endif
      std::free(std::malloc(8));
      struct alignas(64) Line {
        int value = 0;
      };
      delete new Line;
      delete[] new Line[2];
    }
  });
}

PLUMB_FINDS("out-of-bounds", word_across_the_end) {
  auto* const bytes = static_cast<std::byte*>(std::malloc(20));
  in_a_thread([bytes] { *reinterpret_cast<volatile long*>(bytes + 16) = 1; });
}

PLUMB_FINDS("out-of-bounds", atomic_after_the_end) {
  auto* const numbers = static_cast<std::atomic<int>*>(std::malloc(3 * sizeof(int)));
  in_a_thread([numbers] { numbers[3].store(1); });
}

PLUMB_FINDS("out-of-bounds", block_of_no_bytes) {
  auto* const nothing = static_cast<volatile char*>(std::malloc(kilobyte - 1024));
  in_a_thread([nothing] { *nothing = 1; });
}

PLUMB_HOLDS(up_to_the_end) {
  for (std::size_t size = 1; size < 30; ++size) {
    auto* const bytes = static_cast<char*>(std::malloc(size));
    in_a_thread([=] {
      std::memset(bytes, 1, size);
      const_cast<volatile char*>(bytes)[size - 1] = 2;
    });
    auto* const larger = static_cast<char*>(std::realloc(bytes, size + 1));
    assert(larger[size - 1] == 2);
    const_cast<volatile char*>(larger)[size] = 3;
    std::free(larger);
  }
  std::free(std::malloc(kilobyte - 1024));
}

PLUMB_CASE("out-of-bounds", "--heap lifo --strategy dfs --preemptions 2",
           end_of_a_block_used_again) {
  std::free(std::malloc(15));
  auto* const bytes = static_cast<volatile char*>(std::malloc(9));
  in_a_thread([bytes] { bytes[9] = 1; });
}

// A gigabyte of which a few bytes are used: a thousand executions take no time.
PLUMB_CASE(nullptr, "--strategy random --max-executions 2000 --timeout 500",
           much_that_is_not_touched) {
  auto* const much = static_cast<char*>(std::calloc(kilobyte * 1024, 1024));
  assert(much[0] == 0 && much[1 << 29] == 0);
  std::atomic<int> sum{0};
  std::thread other([&] {
    much[1 << 29] = 1;
    ++sum;
  });
  much[0] = 1;
  ++sum;
  other.join();
  std::free(much);
}

// So is one that is made of many.
PLUMB_CASE(nullptr, "--strategy random --max-executions 200 --timeout 500", many_large_blocks) {
  for (int i = 0; i < 100; ++i) {
    auto* const block = static_cast<volatile char*>(std::calloc(kilobyte * kilobyte, 2));
    assert(block[kilobyte] == 0);
    block[kilobyte] = 1;
  }
  in_a_thread([] {});
}

PLUMB_FINDS("out-of-bounds", end_of_a_large_block) {
  auto* const much = static_cast<volatile char*>(std::malloc(kilobyte * kilobyte * 3 + 5));
  in_a_thread([much] { much[3 * 1024 * 1024 + 5] = 1; });
}

PLUMB_FINDS("use-after-free", large_block_that_was_freed) {
  auto* const much = static_cast<volatile char*>(std::malloc(kilobyte * kilobyte * 3));
  in_a_thread([much] { std::free(const_cast<char*>(much)); });
  much[12345] = 1;
}

PLUMB_FINDS("double-free", large_block_is_freed_twice) {
  void* const much = std::malloc(kilobyte * kilobyte * 3);
  std::free(much);
  in_a_thread([much] { std::free(much); });
}

PLUMB_FINDS("race", large_block_is_freed_while_it_is_used) {
  auto* const much = static_cast<char*>(std::malloc(kilobyte * kilobyte * 3));
  std::thread other([much] { much[12345] = 1; });
  std::free(much);
  other.join();
}
