// SPDX-License-Identifier: MIT
#include "session/saved_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/compiler_driver.hpp"
#include "base/read_text.hpp"

namespace plumb::session {
namespace {

constexpr std::size_t kLargestSave = std::size_t{1} << 30;
constexpr double kSaveEvery = 0.5, kMostOfTime = 0.05;  // seconds; the part that saving may take

std::string sum_of(std::string_view content) { return ContentHash().add(content).hex() + "\n"; }

bool is_at(const struct stat& file, const std::string& path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 && found.st_dev == file.st_dev &&
         found.st_ino == file.st_ino;
}

}  // namespace

SavedFile::~SavedFile() {
  if (locked_ >= 0) close(locked_);
}

Error SavedFile::refused(const std::string& why) const {
  return Error{ErrorKind::bad_input, why, kOtherSave, file_};
}

Result<std::optional<std::string>> SavedFile::open(const std::string& file, const char* kept) {
  file_ = file;
  if (access(file.c_str(), F_OK) != 0) return std::optional<std::string>();
  const Error taken{ErrorKind::bad_input,
                    std::string("another run is saving its ") + kept + " to this file",
                    "wait for it, or name another file", file};
  locked_ = ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  struct stat about {};
  if (locked_ >= 0 && fstat(locked_, &about) == 0 && !S_ISREG(about.st_mode))
    return Error{ErrorKind::usage, "is not an ordinary file", "choose another file", file};
  if (locked_ < 0)
    return Error{ErrorKind::usage, std::string("cannot be used: ") + std::strerror(errno),
                 "choose another file", file};
  // Another run may have put a new one there meanwhile.
  if (flock(locked_, LOCK_EX | LOCK_NB) != 0 || !is_at(about, file)) return taken;
  Result<std::string> text = read_text(file, kLargestSave);
  if (!text.ok()) return text.error();
  return std::optional<std::string>(std::move(*text));
}

std::optional<std::string_view> SavedFile::content_of(std::string_view text) {
  static const std::size_t kSumLength = sum_of({}).size();
  if (text.size() < kSumLength) return std::nullopt;
  const std::string_view content = text.substr(0, text.size() - kSumLength);
  if (text.substr(content.size()) != sum_of(content)) return std::nullopt;
  return content;
}

bool SavedFile::is_ours() const {
  struct stat own {};
  if (!written_ && locked_ < 0) return true;  // there was none
  return fstat(written_ ? written_->descriptor() : locked_, &own) == 0 && is_at(own, file_);
}

// The new file is locked before it gets its name, so no other run ever finds it free.
Status SavedFile::put(std::string_view content) {
  if (!is_ours()) return {};
  auto next = std::make_unique<OutputFile>();
  if (Status opened = next->open(file_); !opened.ok()) return opened;
  flock(next->descriptor(), LOCK_EX | LOCK_NB);
  next->write(content);
  next->write(sum_of(content));
  if (Status written = next->commit(); !written.ok()) return written;
  written_ = std::move(next);
  return {};
}

void SavedFile::remove() {
  if (is_open() && is_ours()) unlink(file_.c_str());
}

void SaveRhythm::saved(double begin, double end) {
  next_ = end + std::max(kSaveEvery, (end - begin) / kMostOfTime);
}

}  // namespace plumb::session
