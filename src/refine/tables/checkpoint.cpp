// SPDX-License-Identifier: MIT
#include "refine/tables/checkpoint.hpp"

#include <unistd.h>
#include <xxhash.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace plumb::refine {
namespace {

constexpr char kCheckpointTitle[16] = {'p', 'l', 'u', 'm', 'b', ' ', 'c', 'h',
                                       'e', 'c', 'k', 'p', 'o', 'i', 'n', 't'};
constexpr std::uint32_t kCheckpointFormat = 1;
constexpr std::size_t kKeyLength = 32;  // characters

struct CheckpointHead {
  char title[16];
  std::uint32_t format, reserved;
  char key[kKeyLength];
};

CheckpointHead checkpoint_head(const CheckpointOptions& options) {
  CheckpointHead head{};
  std::memcpy(head.title, kCheckpointTitle, sizeof kCheckpointTitle);
  head.format = kCheckpointFormat;
  options.key.copy(head.key, kKeyLength);
  return head;
}

Error refused_checkpoint(const CheckpointOptions& options, std::string why) {
  return {ErrorKind::bad_input, std::move(why),
          "name another file, or remove this one to begin from the start", options.file};
}

}  // namespace

struct Checkpoint::Sum {
  XXH3_state_t* state = XXH3_createState();
  Sum() { XXH3_128bits_reset(state); }
  Sum(const Sum&) = delete;
  Sum& operator=(const Sum&) = delete;
  ~Sum() { XXH3_freeState(state); }
  void add(const void* data, std::size_t size) { XXH3_128bits_update(state, data, size); }
  XXH128_canonical_t value() const {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
    return canonical;
  }
};

Checkpoint::Checkpoint(const CheckpointOptions& options, std::FILE* read)
    : options_(options), file_(read), sum_(std::make_unique<Sum>()) {}

Checkpoint::~Checkpoint() {
  if (file_) std::fclose(file_);
}

bool Checkpoint::exists(const CheckpointOptions& options) {
  return access(options.file.c_str(), F_OK) == 0;
}

Status Checkpoint::try_out(const CheckpointOptions& options) {
  return OutputFile().open(options.file);
}

void Checkpoint::remove(const CheckpointOptions& options) { std::remove(options.file.c_str()); }

Result<std::unique_ptr<Checkpoint>> Checkpoint::write(const CheckpointOptions& options) {
  std::unique_ptr<Checkpoint> checkpoint(new Checkpoint(options, nullptr));
  if (Status opened = checkpoint->written_.open(options.file); !opened.ok())
    return std::move(opened.error());
  CheckpointHead head = checkpoint_head(options);
  checkpoint->transfer(head);
  return checkpoint;
}

Result<std::unique_ptr<Checkpoint>> Checkpoint::read(const CheckpointOptions& options) {
  std::FILE* file = std::fopen(options.file.c_str(), "rb");
  if (!file)
    return Error{ErrorKind::missing_file,
                 fmt::format("cannot read the checkpoint: {}", std::strerror(errno)),
                 "make it readable, or name another file", options.file};
  std::unique_ptr<Checkpoint> checkpoint(new Checkpoint(options, file));
  if (Status checked = checkpoint->check_all(); !checked.ok()) return std::move(checked.error());
  return checkpoint;
}

Status Checkpoint::check_all() {
  const CheckpointHead expected = checkpoint_head(options_);
  CheckpointHead head{};
  const std::size_t got = std::fread(&head, 1, sizeof head, file_);
  if (got < sizeof head.title ||
      std::memcmp(head.title, kCheckpointTitle, sizeof kCheckpointTitle) != 0)
    return refused_checkpoint(options_, "it is not a checkpoint of plumb verify");
  if (got == sizeof head && head.format != kCheckpointFormat)
    return refused_checkpoint(options_, "it is a checkpoint of another version of plumb");
  // The last bytes are the sum of the others.
  const Error damaged = refused_checkpoint(options_, "the checkpoint is damaged or not complete");
  XXH128_canonical_t last;
  if (got < sizeof head || std::fseek(file_, 0, SEEK_END) != 0) return damaged;
  const long size = std::ftell(file_);
  const auto least = static_cast<long>(sizeof head + sizeof last);
  if (size < least || std::fseek(file_, 0, SEEK_SET) != 0) return damaged;
  left_ = static_cast<std::uint64_t>(size - least);
  std::vector<char> buffer(1 << 20);
  for (std::uint64_t left = left_ + sizeof head; left > 0;) {
    const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(left, buffer.size()));
    if (std::fread(buffer.data(), 1, some, file_) != some) return damaged;
    sum_->add(buffer.data(), some);
    left -= some;
  }
  const XXH128_canonical_t sum = sum_->value();
  if (std::fread(&last, 1, sizeof last, file_) != sizeof last ||
      std::memcmp(&last, &sum, sizeof sum) != 0)
    return damaged;
  if (std::memcmp(head.key, expected.key, kKeyLength) != 0)
    return refused_checkpoint(
        options_, "the checkpoint is of another model, other constants or other options");
  if (std::fseek(file_, sizeof head, SEEK_SET) != 0) return damaged;
  return {};
}

void Checkpoint::bytes(void* data, std::size_t size) {
  if (size == 0) return;
  if (writing()) {
    sum_->add(data, size);
    written_.write({static_cast<const char*>(data), size});
    return;
  }
  if (short_ || size > left_ || std::fread(data, 1, size, file_) != size) {
    short_ = true;
    std::memset(data, 0, size);
    return;
  }
  left_ -= size;
}

std::size_t Checkpoint::fitting(std::uint64_t count, std::size_t size) {
  if (count <= left_ / size) return count;
  short_ = true;
  return 0;
}

Status Checkpoint::finish() {
  if (!writing()) {
    if (short_ || left_ > 0)
      return refused_checkpoint(options_,
                                "the checkpoint does not have what this version of plumb expects");
    return {};
  }
  const XXH128_canonical_t sum = sum_->value();
  written_.write({reinterpret_cast<const char*>(&sum), sizeof sum});
  return written_.commit();
}

}  // namespace plumb::refine
