// SPDX-License-Identifier: MIT
// The file or pipe that a recorder writes to, compressed if its name says so.
#pragma once

#include <poll.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstddef>

namespace plumb {

/// Functions return 0 or an errno.
class RecorderOutput {
 public:
  RecorderOutput(int descriptor, bool owned) : descriptor_(descriptor), owned_(owned) {}
  RecorderOutput(const RecorderOutput&) = delete;
  RecorderOutput& operator=(const RecorderOutput&) = delete;
  ~RecorderOutput() { close(); }

  int compress() {
    errno = ENOMEM;
    zip_ = gzdopen(descriptor_, "wb1");
    if (!zip_) return errno;
    owned_ = false;  // gzclose closes it
    gzbuffer(zip_, 1 << 17);
    return 0;
  }

  int write(const char* text, std::size_t size) {
    if (zip_)
      return gzwrite(zip_, text, static_cast<unsigned>(size)) > 0 || !size ? 0 : zip_error();
    while (size > 0) {
      const ssize_t n = ::write(descriptor_, text, size);
      if (n >= 0) {
        text += n;
        size -= static_cast<std::size_t>(n);
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        pollfd ready{descriptor_, POLLOUT, 0};
        poll(&ready, 1, -1);
      } else if (errno != EINTR) {
        return errno;
      }
    }
    return 0;
  }

  /// False: the system has all that was written. True: what is not flushed yet may be here.
  bool keeps() const { return zip_ != nullptr; }
  int flush() { return !zip_ || gzflush(zip_, Z_SYNC_FLUSH) == Z_OK ? 0 : zip_error(); }

  int close() {
    int error = 0;
    if (zip_) {
      errno = EIO;
      if (gzclose(zip_) != Z_OK) error = errno;
    } else if (owned_ && descriptor_ >= 0 && ::close(descriptor_) != 0) {
      error = errno;
    }
    zip_ = nullptr;
    owned_ = false;
    return error;
  }

 private:
  int zip_error() {
    int code = Z_OK;
    gzerror(zip_, &code);
    return code == Z_ERRNO && errno != 0 ? errno : EIO;
  }

  int descriptor_;
  bool owned_;
  gzFile zip_ = nullptr;
};

}  // namespace plumb
