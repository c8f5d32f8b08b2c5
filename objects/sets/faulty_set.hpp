// SPDX-License-Identifier: MIT
// LazySet with one mistake: it does not validate after taking the locks, although the list may have
// changed since the search. An insert may then link its node to one that was just removed, or
// bypass one that was just inserted: it returns true, and its key, or another one, is lost. Two
// removals of the same node may both return true.
//
// NOT linearizable.
#pragma once

#include "lazy_set.hpp"

namespace plumb::objects {

using FaultySet = LazyList<false>;

}  // namespace plumb::objects
