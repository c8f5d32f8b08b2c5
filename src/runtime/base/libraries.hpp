// SPDX-License-Identifier: MIT
// Libraries by the names of their files.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace plumb::runtime {

/// Does the name of the file begin with one of these?
inline bool is_library_of(std::span<const std::string_view> names, std::string_view path) {
  const std::string_view file = path.substr(path.find_last_of('/') + 1);
  return std::ranges::any_of(names,
                             [file](std::string_view name) { return file.starts_with(name); });
}

inline bool is_c_library(std::string_view path) {
  constexpr std::string_view kNames[] = {"ld-linux", "linux-vdso", "libc.so",  "libdl.so",
                                         "libm.so",  "libpthread", "librt.so", "libresolv"};
  return is_library_of(kNames, path);
}

}  // namespace plumb::runtime
