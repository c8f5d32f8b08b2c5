// SPDX-License-Identifier: MIT
// A set of hashes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace plumb::runtime {

class Hashes {
 public:
  /// Whether it is new.
  bool add(std::uint64_t hash) {
    if ((count_ + 1) * 2 > size_) grow();
    return insert(hash | 1);
  }
  bool contains(std::uint64_t hash) const {
    if (size_ == 0) return false;
    for (std::size_t i = (hash | 1) >> 20;; ++i) {
      const std::uint64_t slot = slots_[i & (size_ - 1)];
      if (slot == (hash | 1)) return true;
      if (slot == 0) return false;
    }
  }

 private:
  bool insert(std::uint64_t hash) {
    for (std::size_t i = hash >> 20;; ++i) {
      std::uint64_t& slot = slots_[i & (size_ - 1)];
      if (slot == hash) return false;
      if (slot == 0) {
        slot = hash;
        ++count_;
        return true;
      }
    }
  }
  void grow() {
    const std::unique_ptr<std::uint64_t[]> old = std::move(slots_);
    const std::size_t old_size = size_;
    size_ = size_ == 0 ? 1024 : size_ * 2;
    slots_ = std::make_unique<std::uint64_t[]>(size_);
    count_ = 0;
    for (std::size_t i = 0; i < old_size; ++i) {
      if (old[i] != 0) insert(old[i]);
    }
  }

  std::unique_ptr<std::uint64_t[]> slots_;
  std::size_t size_ = 0, count_ = 0;
};

}  // namespace plumb::runtime
