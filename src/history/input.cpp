// SPDX-License-Identifier: MIT
// Three layers: bytes (a file or memory), their decompression, and blocks cut at newlines. Of a
// compressed file the first two run in a thread of their own, two blocks ahead of the reader:
// decompressing costs about as much as parsing.
#include "history/input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace plumb {
namespace {

constexpr std::size_t kBlock = std::size_t{512} << 10;
constexpr std::size_t kFirstBlock = std::size_t{16} << 10;  // most histories are small
constexpr std::size_t kRaw = std::size_t{64} << 10;

Error truncated(std::string_view kind) {
  return bad_input(fmt::format("the {} data end too early", kind),
                   "the file is truncated: create it again");
}

Error corrupt(std::string_view kind, std::string_view why) {
  return bad_input(fmt::format("the {} data are damaged: {}", kind, why),
                   "make the file again; text needs no compression");
}

/// Where bytes come from. `read` puts at most `room` bytes and says how many: 0 at the end.
class Bytes {
 public:
  virtual ~Bytes() = default;
  virtual Status read(char* to, std::size_t room, std::size_t& got) = 0;
};

class FileBytes final : public Bytes {
 public:
  explicit FileBytes(int fd) : fd_(fd) {}
  ~FileBytes() override {
    if (fd_ != STDIN_FILENO) close(fd_);
  }
  Status read(char* to, std::size_t room, std::size_t& got) override {
    ssize_t n = 0;
    do n = ::read(fd_, to, room);
    while (n < 0 && errno == EINTR);
    if (n < 0) return bad_input(fmt::format("cannot be read: {}", std::strerror(errno)), "");
    got = static_cast<std::size_t>(n);
    return {};
  }

 private:
  int fd_;
};

class TextBytes final : public Bytes {
 public:
  explicit TextBytes(std::string_view text) : rest_(text) {}
  Status read(char* to, std::size_t room, std::size_t& got) override {
    got = rest_.copy(to, room);
    rest_.remove_prefix(got);
    return {};
  }

 private:
  std::string_view rest_;
};

/// Bytes of which the first ones were read already, to look at them.
class Unread final : public Bytes {
 public:
  Unread(std::string first, std::unique_ptr<Bytes> rest)
      : first_(std::move(first)), rest_(std::move(rest)) {}
  Status read(char* to, std::size_t room, std::size_t& got) override {
    if (at_ == first_.size()) return rest_->read(to, room, got);
    got = first_.copy(to, room, at_);
    at_ += got;
    return {};
  }

 private:
  std::string first_;
  std::size_t at_ = 0;
  std::unique_ptr<Bytes> rest_;
};

class GzipBytes final : public Bytes {
 public:
  explicit GzipBytes(std::unique_ptr<Bytes> raw) : raw_(std::move(raw)), buffer_(kRaw) {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  ~GzipBytes() override { inflateEnd(&stream_); }

  Status read(char* to, std::size_t room, std::size_t& got) override {
    got = 0;
    while (got == 0) {
      if (stream_.avail_in == 0) {
        std::size_t n = 0;
        if (Status s = raw_->read(buffer_.data(), buffer_.size(), n); !s) return s;
        if (n == 0) return between_members_ ? Status() : truncated("gzip");
        stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
        stream_.avail_in = static_cast<uInt>(n);
      }
      if (between_members_) {
        // Members may follow each other, and zeros may fill up the last block of a tape.
        if (*stream_.next_in == 0) {
          ++stream_.next_in, --stream_.avail_in;
          continue;
        }
        inflateReset(&stream_);
        between_members_ = false;
      }
      stream_.next_out = reinterpret_cast<Bytef*>(to);
      stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(room, 1u << 30));
      const uInt before = stream_.avail_out;
      const int code = inflate(&stream_, Z_NO_FLUSH);
      got = before - stream_.avail_out;
      if (code == Z_STREAM_END) between_members_ = true;
      else if (code != Z_OK && code != Z_BUF_ERROR)
        return corrupt("gzip", stream_.msg ? stream_.msg : "not gzip");
    }
    return {};
  }

 private:
  std::unique_ptr<Bytes> raw_;
  std::vector<char> buffer_;
  z_stream stream_{};
  bool between_members_ = false;
};

class ZstdBytes final : public Bytes {
 public:
  explicit ZstdBytes(std::unique_ptr<Bytes> raw)
      : raw_(std::move(raw)), buffer_(kRaw), stream_(ZSTD_createDStream(), ZSTD_freeDStream) {
    if (!stream_) throw std::bad_alloc();
  }

  Status read(char* to, std::size_t room, std::size_t& got) override {
    ZSTD_outBuffer out{to, room, 0};
    while (out.pos == 0) {
      if (in_.pos == in_.size && !more_output_) {
        std::size_t n = 0;
        if (Status s = raw_->read(buffer_.data(), buffer_.size(), n); !s) return s;
        if (n == 0) {
          if (!at_frame_end_) return truncated("zstd");
          break;
        }
        in_ = {buffer_.data(), n, 0};
      }
      const std::size_t code = ZSTD_decompressStream(stream_.get(), &out, &in_);
      if (ZSTD_isError(code)) return corrupt("zstd", ZSTD_getErrorName(code));
      at_frame_end_ = code == 0;
      more_output_ = code != 0 && out.pos == out.size;  // it may hold more than there was room for
    }
    got = out.pos;
    return {};
  }

 private:
  std::unique_ptr<Bytes> raw_;
  std::vector<char> buffer_;
  std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool at_frame_end_ = false, more_output_ = false;
};

/// Cuts bytes into blocks that end at newlines. A line that is longer than a block makes the block
/// grow, up to the limit.
class Cutter {
 public:
  Cutter(std::unique_ptr<Bytes> bytes, std::size_t limit)
      : bytes_(std::move(bytes)), limit_(std::max<std::size_t>(limit, 1)) {}

  Status fill(Block& block) {
    const auto room = [&](std::size_t size) {
      if (block.bytes.size() < size + Block::kPadding) block.bytes.resize(size + Block::kPadding);
    };
    block.size = 0;
    std::size_t capacity = std::max(std::exchange(block_size_, kBlock), carry_.size());
    room(capacity);
    std::size_t size = carry_.copy(block.bytes.data(), carry_.size());
    carry_.clear();
    block.whole_lines = true;
    std::size_t cut = std::string_view(block.bytes.data(), size).rfind('\n') + 1;  // npos + 1 == 0
    while (!at_end_ && (size < capacity || cut == 0)) {
      if (size == capacity) {
        if (capacity > limit_) break;
        capacity = std::min(capacity * 2, limit_ + 1);
        room(capacity);
      }
      std::size_t got = 0;
      if (Status s = bytes_->read(block.bytes.data() + size, capacity - size, got); !s) return s;
      at_end_ = got == 0;
      const std::size_t newline = std::string_view(block.bytes.data() + size, got).rfind('\n');
      if (newline != std::string_view::npos) cut = size + newline + 1;
      size += got;
    }
    if (at_end_) cut = size;
    if (cut == 0) {
      block.whole_lines = false;
      cut = size;
    }
    carry_.assign(block.bytes, cut, size - cut);
    block.size = cut;
    // Padding is read, never looked at; but it is to be the same in every run.
    std::memset(block.bytes.data() + cut, 0, Block::kPadding);
    return {};
  }

 private:
  std::unique_ptr<Bytes> bytes_;
  std::size_t limit_;
  std::size_t block_size_ = kFirstBlock;
  std::string carry_;
  bool at_end_ = false;
};

class DirectInput final : public Input {
 public:
  explicit DirectInput(Cutter cutter) : cutter_(std::move(cutter)) {}
  Status advance() override { return cutter_.fill(block_); }

 private:
  Cutter cutter_;
};

class AheadInput final : public Input {
 public:
  explicit AheadInput(Cutter cutter) : cutter_(std::move(cutter)) {
    try {
      thread_ = std::thread([this] { produce(); });
    } catch (const std::system_error&) {}  // there may be no more threads: not ahead, then
  }
  ~AheadInput() override {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  Status advance() override {
    if (!thread_.joinable()) return cutter_.fill(block_);
    std::unique_lock lock(mutex_);
    if (ended_) {
      block_.size = 0;
      return {};
    }
    changed_.wait(lock, [&] { return !ready_.empty(); });
    free_.push_back(std::move(block_));
    Filled filled = std::move(ready_.front());
    ready_.pop_front();
    lock.unlock();
    changed_.notify_all();
    block_ = std::move(filled.block);
    if (block_.size == 0 || !filled.status.ok()) ended_ = true;
    return std::move(filled.status);
  }

 private:
  static constexpr std::size_t kAhead = 2;
  struct Filled {
    Block block;
    Status status;
  };

  void produce() {
    for (bool more = true; more;) {
      Filled filled;
      {
        const std::lock_guard lock(mutex_);
        if (!free_.empty()) {
          filled.block = std::move(free_.back());
          free_.pop_back();
        }
      }
      try {
        filled.status = cutter_.fill(filled.block);
      } catch (const std::bad_alloc&) {
        filled.status = Error{ErrorKind::internal, "out of memory"};
      }
      more = filled.status.ok() && filled.block.size > 0;
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stop_ || ready_.size() < kAhead; });
      if (stop_) return;
      ready_.push_back(std::move(filled));
      lock.unlock();
      changed_.notify_all();
    }
  }

  Cutter cutter_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Filled> ready_;
  std::vector<Block> free_;
  bool stop_ = false;
  bool ended_ = false;  // of the reader's side only
  std::thread thread_;
};

Result<std::unique_ptr<Input>> make(std::unique_ptr<Bytes> bytes, std::size_t line_limit,
                                    bool may_block) {
  std::string head(4, '\0');
  std::size_t size = 0;
  while (size < head.size()) {
    std::size_t got = 0;
    if (Status s = bytes->read(head.data() + size, head.size() - size, got); !s)
      return std::move(s.error());
    if (got == 0) break;
    size += got;
  }
  head.resize(size);
  const bool gzip = head.starts_with("\x1f\x8b"), zstd = head == "\x28\xb5\x2f\xfd";
  bytes = std::make_unique<Unread>(std::move(head), std::move(bytes));
  if (gzip) bytes = std::make_unique<GzipBytes>(std::move(bytes));
  if (zstd) bytes = std::make_unique<ZstdBytes>(std::move(bytes));
  Cutter cutter(std::move(bytes), line_limit);
  std::unique_ptr<Input> input;
  // A thread that waits for a pipe could not be stopped.
  if ((gzip || zstd) && !may_block) input = std::make_unique<AheadInput>(std::move(cutter));
  else input = std::make_unique<DirectInput>(std::move(cutter));
  if (Status s = input->advance(); !s) {
    s.error().line = 1;
    return std::move(s.error());
  }
  return input;
}

}  // namespace

Result<std::unique_ptr<Input>> Input::open(const std::string& path, std::size_t line_limit) {
  const bool standard = path == "-";
  const int fd = standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return Error{ErrorKind::missing_file, fmt::format("cannot be opened: {}", std::strerror(errno)),
                 "give the name of a file that exists and may be read"};
  auto bytes = std::make_unique<FileBytes>(fd);
  struct stat about {};
  if (fstat(fd, &about) == 0 && S_ISDIR(about.st_mode))
    return Error{ErrorKind::missing_file, "is a directory", "give the name of a history file"};
  return make(std::move(bytes), line_limit, standard || !S_ISREG(about.st_mode));
}

Result<std::unique_ptr<Input>> Input::resume(std::string first, int fd, std::size_t line_limit) {
  auto bytes = std::make_unique<FileBytes>(fd);
  return make(std::make_unique<Unread>(std::move(first), std::move(bytes)), line_limit, true);
}

Result<std::unique_ptr<Input>> Input::of_text(std::string_view text, std::size_t line_limit) {
  return make(std::make_unique<TextBytes>(text), line_limit, false);
}

bool Lines::refill() {
  if (!status_.ok() || input_.block().size == 0) return false;
  status_ = input_.advance();
  if (!status_.ok()) status_.error().line = number_ + 1;
  at_ = 0;
  return status_.ok() && input_.block().size > 0;
}

bool Lines::too_long() {
  status_ = bad_input(fmt::format("a line of more than {} bytes", limit_),
                      "write one event per line, or raise the limit", number_);
  return false;
}

bool Characters::refill() {
  if (!input_ || !status_.ok() || input_->block().size == 0) return false;
  status_ = input_->advance();
  if (!status_.ok()) status_.error().line = line_;
  text_ = status_.ok() ? input_->block().text() : std::string_view();
  at_ = 0;
  return !text_.empty();
}

}  // namespace plumb
