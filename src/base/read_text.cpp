// SPDX-License-Identifier: MIT
#include "base/read_text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace plumb {

Result<std::string> read_text(const std::string& file, std::size_t most) {
  constexpr std::size_t kLargestBlock = std::size_t{1} << 20;
  const bool is_standard = file == "-";
  const int fd = is_standard ? STDIN_FILENO : ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  std::string text;
  ssize_t got = fd < 0 ? -1 : 1;
  for (std::size_t block = 1 << 12; got > 0 && text.size() <= most;
       block = std::min(2 * block, kLargestBlock)) {
    const std::size_t size = text.size();
    text.resize(size + block);
    do got = ::read(fd, text.data() + size, block);
    while (got < 0 && errno == EINTR);
    text.resize(size + (got > 0 ? static_cast<std::size_t>(got) : 0));
  }
  const int why = errno;
  if (fd >= 0 && !is_standard) close(fd);
  const std::string name = is_standard ? "standard input" : file;
  if (got < 0)
    return Error{ErrorKind::missing_file, fmt::format("cannot be read: {}", std::strerror(why)),
                 "give the name of a readable file", name};
  if (text.size() > most)
    return Error{ErrorKind::bad_input, "is too long", fmt::format("at most {} MiB", most >> 20),
                 name};
  return text;
}

}  // namespace plumb
