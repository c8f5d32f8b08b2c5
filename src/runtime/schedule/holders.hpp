// SPDX-License-Identifier: MIT
// Who holds what, in an execution that is replayed for display. Locks do not all say it
// themselves: of readers they know only how many there are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace plumb::runtime {

class Holders {
 public:
  void reset() {
    count_ = 0;
    is_whole_ = true;
  }
  void add(const void* object, int thread, bool shared) {
    if (count_ == kMost) is_whole_ = false;
    else all_[count_++] = {object, static_cast<std::uint8_t>(thread), shared};
  }
  /// Gives it back once: of a thread that reads several times, one remains a reader.
  void remove(const void* object, int thread) {
    for (std::size_t i = count_; i-- > 0;) {
      if (all_[i].object != object || all_[i].thread != thread) continue;
      all_[i] = all_[--count_];
      return;
    }
    is_whole_ = false;  // another thread gave it back
  }
  struct Of {
    std::uint32_t threads = 0;  // bits
    bool shared = false;        // they only read
  };
  /// Nobody, if that is not known of all.
  Of of(const void* object) const {
    Of found;
    for (std::size_t i = 0; is_whole_ && i < count_; ++i) {
      if (all_[i].object != object) continue;
      found.threads |= std::uint32_t{1} << all_[i].thread;
      found.shared = all_[i].shared;
    }
    return found;
  }

 private:
  struct Held {
    const void* object;
    std::uint8_t thread;
    bool shared;
  };
  static constexpr std::size_t kMost = 512;
  std::size_t count_ = 0;
  bool is_whole_ = true;
  std::array<Held, kMost> all_{};
};

}  // namespace plumb::runtime
