// SPDX-License-Identifier: MIT
// LazySet with one mistake: between the search and the locks the world may change, and nobody looks
// again. An insert may then hang its node onto one that has just been removed, or bypass one that
// has just been inserted: it returns true and its key, or another one, is lost. Two removals of the
// same node may both return true.
//
// NOT linearizable.
#pragma once

#include "lazy_set.hpp"

namespace plumb::objects {

using FaultySet = LazyList<false>;

}  // namespace plumb::objects
