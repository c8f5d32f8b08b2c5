// SPDX-License-Identifier: MIT
#include "plumb/nondeterminism.hpp"

#include <utility>

#include "spec/script.hpp"

// In a program under test (explore_abi.hpp) a class that describes a specification is run as it is,
// and the explorer answers.
extern "C" {
__attribute__((weak)) int plumb_choose(int count);
__attribute__((weak)) void plumb_block();
}

namespace plumb {
namespace detail {
namespace {

thread_local Script* t_script = nullptr;

}  // namespace

Script::Running::Running(Script& script) : before_(std::exchange(t_script, &script)) {
  script.position_ = 0;
}

Script::Running::~Running() { t_script = before_; }

std::size_t Script::choose(std::size_t n) {
  if (position_ == choices_.size()) choices_.push_back({0, n});
  return choices_[position_++].taken;
}

bool Script::advance() {
  while (!choices_.empty() && ++choices_.back().taken >= choices_.back().of) choices_.pop_back();
  return !choices_.empty();
}

}  // namespace detail

void block() {
  if (detail::t_script == nullptr && plumb_block != nullptr) plumb_block();
  throw detail::Blocked();
}

std::size_t choose(std::size_t n) {
  if (n <= 1) return 0;
  if (detail::t_script != nullptr) return detail::t_script->choose(n);
  return plumb_choose == nullptr ? 0 : static_cast<std::size_t>(plumb_choose(static_cast<int>(n)));
}

std::optional<Value> expected_result() {
  return detail::t_script ? detail::t_script->expected() : std::nullopt;
}

SpecificationError::~SpecificationError() = default;

}  // namespace plumb
