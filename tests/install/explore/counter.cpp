// SPDX-License-Identifier: MIT
#include "counter.hpp"

void Counter::add() { ++value_; }

void Counter::add_in_two_steps() { value_ = value_ + 1; }
