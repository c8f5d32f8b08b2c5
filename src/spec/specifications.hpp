// SPDX-License-Identifier: MIT
// The named specifications: where each is, and what people call it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "plumb/specification.hpp"

namespace plumb {

const Specification& register_specification();
const Specification& array_specification();
const Specification& multi_register_specification();
const Specification& map_specification();
const Specification& set_specification();
const Specification& queue_specification();
const Specification& stack_specification();
const Specification& pqueue_specification();
const Specification& pqueue_min_specification();
const Specification& bag_specification();
const Specification& counter_specification();
const Specification& mutex_specification();
const Specification& semaphore_specification();
const Specification& blocking_queue_specification();
const Specification& blocking_stack_specification();
const Specification& bounded_queue_specification();
const Specification& bounded_stack_specification();
const Specification& bounded_work_stealing_deque_specification();
const Specification& deque_specification();
const Specification& work_stealing_deque_specification();
const Specification& multimap_specification();
const Specification& rwlock_specification();
const Specification& latch_specification();
const Specification& barrier_specification();

struct NamedSpecification {
  const Specification& (*get)();
  std::vector<std::string_view> aliases;
  std::string_view about;    // for the documentation, as is the next one
  std::string_view initial;  // what an initial value may be
};

std::span<const NamedSpecification> named_specifications();

}  // namespace plumb
