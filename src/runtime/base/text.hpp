// SPDX-License-Identifier: MIT
// A line of text without allocation: the runtime must not allocate while the program under test
// runs.
#pragma once

#include <cstdint>

namespace plumb::runtime {

class Text {
 public:
  Text& operator<<(const char* s) {
    while (*s != 0 && length_ + 1 < sizeof text_) text_[length_++] = *s++;
    text_[length_] = 0;
    return *this;
  }
  Text& operator<<(std::uint64_t n) {
    char digits[21];
    char* p = digits + 20;
    *p = 0;
    do *--p = static_cast<char>('0' + n % 10);
    while ((n /= 10) != 0);
    return *this << p;
  }
  const char* c_str() const { return text_; }

 private:
  std::uint32_t length_ = 0;
  char text_[256] = {};
};

}  // namespace plumb::runtime
