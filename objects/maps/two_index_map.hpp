// SPDX-License-Identifier: MIT
// A one-to-one map with lookups in both directions: two maps, each of which is thread-safe.
//
// The mistake of TwoIndexMap: it puts a pair into one map and then into the other. In between only
// one direction finds it. FixedTwoIndexMap holds one lock for both.
//
// Source: npgall/concurrent-trees #33 (ConcurrentSuffixTree: a key is found as a whole, but not by
// its suffix).
//
// Verdict: TwoIndexMap is not linearizable, FixedTwoIndexMap is. Smallest test:
// `put(1,2) | value_of(1), key_of(2)` (one preemption): 2, then nothing.
#pragma once

#include <map>
#include <mutex>
#include <optional>

namespace plumb::objects {

class TwoIndexMap {
 public:
  /// Requires: both are absent.
  void put(int key, int value) {
    values_.put(key, value);
    keys_.put(value, key);
  }

  std::optional<int> value_of(int key) const { return values_.get(key); }
  std::optional<int> key_of(int value) const { return keys_.get(value); }

 private:
  class Index {
   public:
    void put(int from, int to) {
      const std::lock_guard lock(mutex_);
      map_[from] = to;
    }

    std::optional<int> get(int from) const {
      const std::lock_guard lock(mutex_);
      const auto found = map_.find(from);
      return found == map_.end() ? std::nullopt : std::optional(found->second);
    }

   private:
    mutable std::mutex mutex_;
    std::map<int, int> map_;
  };

  Index values_, keys_;
};

class FixedTwoIndexMap {
 public:
  void put(int key, int value) {
    const std::lock_guard lock(mutex_);
    map_.put(key, value);
  }

  std::optional<int> value_of(int key) const {
    const std::lock_guard lock(mutex_);
    return map_.value_of(key);
  }

  std::optional<int> key_of(int value) const {
    const std::lock_guard lock(mutex_);
    return map_.key_of(value);
  }

 private:
  mutable std::mutex mutex_;
  TwoIndexMap map_;
};

}  // namespace plumb::objects
