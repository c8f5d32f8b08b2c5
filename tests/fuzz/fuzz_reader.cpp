// SPDX-License-Identifier: MIT
// One libFuzzer target a format; the build defines PLUMB_FUZZ_FORMAT ("" is the choice by content,
// and so is every compressed one).
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "property.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string wrong =
      plumb::failed_property(PLUMB_FUZZ_FORMAT, {reinterpret_cast<const char*>(data), size});
  if (!wrong.empty()) {
    std::fprintf(stderr, "%s\n", wrong.c_str());
    std::abort();
  }
  return 0;
}
