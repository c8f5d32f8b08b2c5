// SPDX-License-Identifier: MIT
// An array that grows by chunks: it never moves, so it never needs twice its size.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace plumb {

template <class T>
class Chunked {
 public:
  explicit Chunked(std::size_t stride = 1) : stride_(stride) {}
  T* operator[](std::size_t i) { return &chunks_[i / kChunk][i % kChunk * stride_]; }
  const T* operator[](std::size_t i) const { return &chunks_[i / kChunk][i % kChunk * stride_]; }
  std::size_t size() const { return size_; }
  T* push() {
    if (size_ == chunks_.size() * kChunk)
      chunks_.push_back(std::make_unique_for_overwrite<T[]>(kChunk * stride_));
    return (*this)[size_++];
  }
  void clear() { size_ = 0; }
  std::size_t bytes() const { return chunks_.size() * kChunk * stride_ * sizeof(T); }

 private:
  static constexpr std::size_t kChunk = 2048;
  std::size_t stride_, size_ = 0;
  std::vector<std::unique_ptr<T[]>> chunks_;
};

}  // namespace plumb
