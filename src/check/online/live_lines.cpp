// SPDX-License-Identifier: MIT
#include "check/online/live_lines.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace plumb {
namespace {

constexpr int kPatience = 10;  // milliseconds

Error can_not_read() {
  return {ErrorKind::bad_input,
          fmt::format("cannot be read: {}", std::strerror(errno)),
          "see what became of the writer",
          {},
          0};
}

// Whether there is something to read, or an end.
bool ready(int fd) {
  pollfd p{fd, POLLIN, 0};
  return poll(&p, 1, kPatience) > 0;
}

}  // namespace

LiveLines::LiveLines(int fd, std::string first, std::string followed, std::size_t line_limit,
                     std::size_t most_kept, const std::atomic<bool>& stop)
    : fd_(fd), followed_(std::move(followed)), limit_(line_limit), most_kept_(most_kept),
      stop_(stop), text_(std::move(first)), size_(text_.size()) {
  keep(text_);
  text_.resize(size_ + kPadding);
}

LiveLines::Next LiveLines::next(std::string_view& line) {
  for (;;) {
    const auto* newline =
        static_cast<const char*>(std::memchr(text_.data() + searched_, '\n', size_ - searched_));
    if (newline || (ended_ && at_ < size_)) {
      const std::size_t end = newline ? static_cast<std::size_t>(newline - text_.data()) : size_;
      line = std::string_view(text_).substr(at_, end - at_);
      at_ = searched_ = std::min(end + 1, size_);
      ++number_;
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      return Next::line;
    }
    searched_ = size_;
    if (ended_ || stop_.load(std::memory_order_relaxed)) return Next::end;
    if (size_ - at_ > limit_) {
      status_ = Error{ErrorKind::bad_input,
                      fmt::format("a line of more than {} bytes", limit_),
                      "write one event per line, or raise the limit",
                      {},
                      number_ + 1};
      return Next::failed;
    }
    switch (fill()) {
      case Fill::some: break;
      case Fill::idle: return Next::idle;
      case Fill::end:
        if (!lost_.empty()) return Next::end;  // without a line that is not complete
        ended_ = true;
    }
    if (!status_.ok()) return Next::failed;
  }
}

// The end of a text alone is of no use, so all of it goes once it is too much.
void LiveLines::keep(std::string_view more) {
  if (kept_.size() + more.size() > most_kept_) {
    most_kept_ = 0;
    std::string().swap(kept_);
    return;
  }
  kept_ += more;
}

// A file that is shortened and has grown again before we look is not noticed.
std::string LiveLines::what_became_of_file() const {
  struct stat own {
  }, found{};
  if (fstat(fd_, &own) != 0) return {};
  if (lseek(fd_, 0, SEEK_CUR) > own.st_size) return "has become shorter";
  if (stat(followed_.c_str(), &found) != 0)
    return errno == ENOENT ? "was deleted or renamed" : std::string();
  const bool is_same = found.st_dev == own.st_dev && found.st_ino == own.st_ino;
  return is_same ? "" : "was replaced by another file";
}

LiveLines::Fill LiveLines::fill() {
  if (at_ > 0) {
    std::memmove(text_.data(), text_.data() + at_, size_ - at_);
    size_ -= at_;
    searched_ -= at_;
    at_ = 0;
  }
  if (text_.size() < size_ + kBlock + kPadding) text_.resize(2 * size_ + kBlock + kPadding);
  const bool follows = !followed_.empty();
  if (!follows && !ready(fd_)) return Fill::idle;
  const ssize_t got = ::read(fd_, text_.data() + size_, text_.size() - kPadding - size_);
  if (got < 0) {
    if (errno == EINTR || errno == EAGAIN) return Fill::idle;
    status_ = can_not_read();
    return Fill::end;
  }
  if (got == 0 && follows) {
    if (!lost_.empty()) return Fill::end;
    lost_ = what_became_of_file();
    if (!lost_.empty()) return Fill::some;  // it may have grown before
    usleep(kPatience * 1000);
    return Fill::idle;
  }
  keep({text_.data() + size_, static_cast<std::size_t>(got)});
  size_ += static_cast<std::size_t>(got);
  return got == 0 ? Fill::end : Fill::some;
}

Result<std::string> read_what_is_there(int fd, const std::atomic<bool>& stop, bool& at_end) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  std::string text;
  at_end = false;
  while (text.size() < kMost && !stop) {
    // The first byte may take its time.
    if (!ready(fd)) {
      if (text.empty()) continue;
      break;
    }
    const std::size_t size = text.size();
    text.resize(size + (std::size_t{1} << 16));
    const ssize_t got = ::read(fd, text.data() + size, text.size() - size);
    text.resize(size + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got < 0 && errno != EINTR) return can_not_read();
    if (got == 0) {
      at_end = true;
      break;
    }
  }
  return text;
}

}  // namespace plumb
