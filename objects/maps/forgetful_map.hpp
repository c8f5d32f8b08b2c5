// SPDX-License-Identifier: MIT
// A map from int to int (keys 0..3) with a node for each key that is present. `store` of a present
// key changes the value in its node.
//
// The mistake of ForgetfulMap: it finds the node and then writes the value; in between
// `load_and_delete` may have unlinked the node. The value is written to an unreachable node, and is
// lost. FixedForgetfulMap holds the node's lock, and checks whether it was deleted.
//
// Source: bytedance/gopkg #264 (skipmap).
//
// Verdict: ForgetfulMap is not linearizable, FixedForgetfulMap is. Smallest test:
// `pre store(1,10); load_and_delete(1) | store(1,20); post load_and_delete(1)` (one preemption):
// 10, then nothing.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <optional>

#include "../sets/node_pool.hpp"

namespace plumb::objects {

template <bool kFixed>
class BasicForgetfulMap {
 public:
  void store(int key, int value) {
    std::atomic<Node*>& place = place_of(key);
    Node* made = nullptr;
    while (true) {
      Node* node = place.load();
      if (node == nullptr) {
        if (made == nullptr) made = pool_.make(value);
        if (place.compare_exchange_strong(node, made)) return;
      } else {
        const auto lock = kFixed ? std::unique_lock(node->mutex) : std::unique_lock<std::mutex>();
        if (kFixed && node->deleted.load()) continue;
        node->value = value;
        return;
      }
    }
  }

  std::optional<int> load(int key) const {
    const Node* const node = place_of(key).load();
    return node == nullptr ? std::nullopt : std::optional(node->value.load());
  }

  /// Returns: the value, or nothing if the key is absent.
  std::optional<int> load_and_delete(int key) {
    std::atomic<Node*>& place = place_of(key);
    Node* node = place.load();
    if (node == nullptr) return std::nullopt;
    const std::lock_guard lock(node->mutex);
    if (node->deleted.exchange(true)) return std::nullopt;
    place = nullptr;
    return node->value.load();
  }

 private:
  static constexpr std::size_t kKeys = 4;

  struct Node {
    explicit Node(int v) : value(v) {}
    std::atomic<int> value;
    std::atomic<bool> deleted{false};
    std::mutex mutex;
    Node* made_before = nullptr;
  };

  std::atomic<Node*>& place_of(int key) { return places_.at(static_cast<std::size_t>(key)); }
  const std::atomic<Node*>& place_of(int key) const {
    return places_.at(static_cast<std::size_t>(key));
  }

  NodePool<Node> pool_;
  std::array<std::atomic<Node*>, kKeys> places_{};
};

using ForgetfulMap = BasicForgetfulMap<false>;
using FixedForgetfulMap = BasicForgetfulMap<true>;

}  // namespace plumb::objects
