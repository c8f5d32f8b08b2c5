// SPDX-License-Identifier: MIT
#include "runtime/unseen/patches.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>

#include "runtime/unseen/function_code.hpp"
#include "runtime/unseen/stub.hpp"

namespace plumb::runtime {
namespace {

// An instruction that does not exist: debuggers keep `int3` for themselves.
constexpr std::byte kBreakpoint{0x06};
constexpr std::byte kJump{0xe9};
constexpr std::size_t kJumpBytes = 5;
constexpr std::uintptr_t kPage = 4096;

// Code can be written while this lives.
class Writable {
 public:
  Writable(const std::byte* begin, const std::byte* end)
      : begin_(reinterpret_cast<std::uintptr_t>(begin) / kPage * kPage),
        bytes_(reinterpret_cast<std::uintptr_t>(end) - begin_) {
    is_writable_ = protect(PROT_READ | PROT_WRITE);
  }
  ~Writable() { protect(PROT_READ | PROT_EXEC); }
  Writable(const Writable&) = delete;
  Writable& operator=(const Writable&) = delete;
  explicit operator bool() const { return is_writable_; }

 private:
  bool protect(int how) const {
    return mprotect(reinterpret_cast<void*>(begin_), bytes_, how) == 0;
  }

  std::uintptr_t begin_;
  std::size_t bytes_;
  bool is_writable_;
};

void write_jump(std::byte* at, const std::byte* to) {
  const auto distance = static_cast<std::int32_t>(to - (at + kJumpBytes));
  *at = kJump;
  std::memcpy(at + 1, &distance, sizeof distance);
}

bool can_be_done_elsewhere(const Hidden& hidden) {
  return !hidden.uses_memory() || hidden.copy != nullptr;
}

}  // namespace

void Patches::set(std::vector<Hidden> all) {
  all_ = std::move(all);
  for (Hidden& hidden : all_) hidden.first = *hidden.at;
  for (std::size_t i = 0; i < all_.size();) {
    const std::span<Hidden> of_function = in(all_[i].function);
    i += of_function.size();
    // A function without hooks waits until it is entered.
    if (of_function.front().enters) arm(of_function.front());
    else cover(of_function);
  }
}

std::span<Hidden> Patches::in(CodeRange code) {
  const auto address = [](const Hidden& hidden) { return hidden.at; };
  const auto begin = std::ranges::lower_bound(all_, code.begin, {}, address);
  const auto end = std::ranges::lower_bound(all_, code.end, {}, address);
  return {begin, end};
}

Hidden* Patches::at(const void* address) {
  const auto found = std::ranges::lower_bound(
      all_, address, {}, [](const Hidden& hidden) { return static_cast<const void*>(hidden.at); });
  return found != all_.end() && found->at == address ? &*found : nullptr;
}

const Hidden* Patches::before(const void* address) const {
  const auto after = std::ranges::lower_bound(
      all_, address, {}, [](const Hidden& hidden) { return static_cast<const void*>(hidden.at); });
  if (after == all_.begin()) return nullptr;
  const Hidden& found = *std::prev(after);
  return found.next() == address ? &found : nullptr;
}

bool Patches::enter(Hidden& entry) {
  entry.enters = false;
  disarm(entry);
  const std::span<Hidden> all = in(entry.function);
  cover(all);
  return !entry.is_blind && std::ranges::all_of(all, &can_be_done_elsewhere);
}

void Patches::cover(std::span<Hidden> of_function) {
  FunctionCode& code = FunctionCode::read(of_function.front().function);
  for (Hidden& hidden : of_function) {
    if (hidden.kind == Hidden::Kind::entry || hidden.in_copy) continue;
    const std::span<const FunctionCode::Instruction> group = code.room_at(hidden.at, kJumpBytes);
    hidden.jump = group.empty() ? nullptr : make_stub(group, of_function);
    if (hidden.jump == nullptr && hidden.uses_memory())
      make_copy(hidden, code.distance_in(hidden.at));
  }
  const Writable writable(of_function.front().function.begin, of_function.front().function.end);
  for (Hidden& hidden : of_function) {
    if (!writable || hidden.kind == Hidden::Kind::entry || hidden.in_copy) continue;
    if (hidden.jump != nullptr) write_jump(hidden.at, hidden.jump);
    else if (can_be_done_elsewhere(hidden)) *hidden.at = kBreakpoint;
  }
}

void Patches::arm(Hidden& hidden) {
  if (const Writable writable(hidden.at, hidden.at + 1); writable) *hidden.at = kBreakpoint;
}

void Patches::disarm(Hidden& hidden) {
  if (const Writable writable(hidden.at, hidden.at + 1); writable) *hidden.at = hidden.first;
}

}  // namespace plumb::runtime
