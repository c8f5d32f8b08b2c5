// SPDX-License-Identifier: MIT
// A buffer of states that one thread found and that the owner of a shard will store.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace plumb::refine {

class Box {
 public:
  /// Room for some more, to be filled in.
  std::uint64_t* add(std::size_t count) {
    if (size_ + count > capacity_) grow(count);
    size_ += count;
    return words_.get() + size_ - count;
  }
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  const std::uint64_t* data() const { return words_.get(); }

 private:
  void grow(std::size_t count) {
    capacity_ = std::max(2 * capacity_, size_ + count + 64);
    auto larger = std::make_unique_for_overwrite<std::uint64_t[]>(capacity_);
    std::copy_n(words_.get(), size_, larger.get());
    words_ = std::move(larger);
  }

  std::unique_ptr<std::uint64_t[]> words_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace plumb::refine
