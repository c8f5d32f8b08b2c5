// SPDX-License-Identifier: MIT
#include "base/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

namespace plumb {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40, kMostNames = 10'000;
constexpr mode_t kNewFile = 0666;  // less the umask

// /dev/stdout, /dev/fd/3: its number; -1: the path names no open descriptor.
int descriptor_named(std::string_view path) {
  for (const std::string_view folder : {"/proc/self/fd/", "/dev/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int number = -1;
    const char* const end = path.data() + path.size();
    if (std::from_chars(path.data() + folder.size(), end, number).ptr == end) return number;
  }
  return -1;
}

std::string follow_output_links(std::string path) {
  for (int links = 0; links < kMostLinks && descriptor_named(path) < 0; ++links) {
    std::error_code none;
    const fs::path target = fs::read_symlink(path, none);
    if (none) break;
    path = fs::path(path).parent_path() / target;
  }
  return path;
}

std::string folder_of_output(const std::string& place) {
  const fs::path folder = fs::path(place).parent_path();
  return folder.empty() ? "." : folder.string();
}

// A single file that is mounted into a container cannot be replaced.
bool is_mounted(const std::string& place) {
  struct statx about {};
  return statx(AT_FDCWD, place.c_str(), 0, 0, &about) == 0 &&
         (about.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

// A pipe without a reader gets one soon, or never.
int open_to_write(const std::string& path, int flags) {
  constexpr int kWaits = 100;
  constexpr auto kWait = std::chrono::milliseconds(10);
  int fd = ::open(path.c_str(), flags | O_NONBLOCK);
  for (int i = 0; fd < 0 && errno == ENXIO && i < kWaits; ++i) {
    std::this_thread::sleep_for(kWait);
    fd = ::open(path.c_str(), flags | O_NONBLOCK);
  }
  if (fd >= 0) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  return fd;
}

}  // namespace

OutputFile::~OutputFile() {
  if (file_ != stdout) std::fclose(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

// What the user can mend by another name is wrong usage; what the system refuses is not.
Error OutputFile::unwritable(int why) const {
  const bool is_misnamed =
      why == ENOENT || why == ENOTDIR || why == EISDIR || why == ELOOP || why == ENAMETOOLONG;
  const bool is_full = why == ENOSPC || why == EDQUOT || why == EFBIG;
  const bool is_forbidden = why == EACCES || why == EPERM || why == EROFS;
  return {is_misnamed ? ErrorKind::usage : ErrorKind::internal,
          fmt::format("cannot write: {}", std::strerror(why)),
          is_full        ? "make room, or choose another file"
          : is_forbidden ? "make the file and its folder writable, or choose another file"
                         : "choose another file",
          path_.empty() ? "standard output" : path_};
}

Status OutputFile::open(const std::string& path, Mode mode) {
  if (path.empty() || path == "-") return {};
  path_ = path;
  appends_ = mode == Mode::append;
  struct stat about {};
  const bool exists = stat(path.c_str(), &about) == 0;
  if (exists && S_ISDIR(about.st_mode)) return unwritable(EISDIR);
  const std::string place = follow_output_links(path);
  if (exists && (!S_ISREG(about.st_mode) || descriptor_named(place) >= 0))
    return open_directly(nullptr);
  if (exists && !appends_ && is_mounted(place)) return open_directly(&about);
  // A rename would not ask whether the file may be written.
  if (exists && access(place.c_str(), W_OK) != 0) return unwritable(errno);
  place_ = place;
  if (!appends_) return open_beside(exists ? &about : nullptr);
  if (!exists && access((folder_of_output(place) + "/.").c_str(), W_OK | X_OK) != 0)
    return unwritable(errno);
  return {};
}

// `about`: of an ordinary file, which has to be emptied.
Status OutputFile::open_directly(const struct stat* about) {
  const int number = descriptor_named(follow_output_links(path_));
  const int fd =
      number >= 0 ? fcntl(number, F_DUPFD_CLOEXEC, 0)
                  : open_to_write(path_, O_WRONLY | O_CLOEXEC | O_NOCTTY | (about ? O_TRUNC : 0));
  std::FILE* const file = fd < 0 ? nullptr : fdopen(fd, "w");
  if (!file) return unwritable(errno);
  appends_ = false;
  file_ = file;
  return {};
}

// Calls it with one name after the other, until one is free.
template <class Make>
static int with_free_name(const std::string& folder, std::string& name, Make make) {
  for (int i = 0; i < kMostNames; ++i) {
    name = fmt::format("{}/.plumb-{}-{}.part", folder, getpid(), i);
    const int made = make(name.c_str());
    if (made >= 0 || errno != EEXIST) return made;
  }
  return -1;
}

Status OutputFile::open_beside(const struct stat* old) {
  const std::string folder = folder_of_output(place_);
  int fd = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kNewFile);
  // It gets its name through /proc.
  if (fd >= 0 && access(fmt::format("/proc/self/fd/{}", fd).c_str(), F_OK) != 0) {
    close(fd);
    fd = -1;
  }
  if (fd < 0) {
    std::string name;
    fd = with_free_name(folder, name, [](const char* free) {
      return ::open(free, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kNewFile);
    });
    if (fd < 0) return unwritable(errno);
    temporary_ = name;
  }
  // The new file belongs to whom the old one did, if that is possible.
  if (old && (fchmod(fd, old->st_mode & 07777) != 0 || fchown(fd, old->st_uid, old->st_gid) != 0))
    errno = 0;
  file_ = fdopen(fd, "w");
  return {};
}

void OutputFile::write(std::string_view text) {
  if (appends_) appended_ += text;
  else if (error_ == 0 && std::fwrite(text.data(), 1, text.size(), file_) != text.size())
    error_ = errno;
}

Status OutputFile::flush() {
  if (!appends_ && std::fflush(file_) != 0 && error_ == 0) error_ = errno;
  if (error_ == 0 || error_ == EPIPE) return {};
  return unwritable(error_);
}

Status OutputFile::append_all() {
  const int fd = ::open(place_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, kNewFile);
  if (fd < 0) return unwritable(errno);
  errno = ENOSPC;  // of a write that ends early
  const bool done =
      ::write(fd, appended_.data(), appended_.size()) == static_cast<ssize_t>(appended_.size());
  const int why = done ? 0 : errno;
  close(fd);
  if (!done) return unwritable(why);
  place_.clear();
  return {};
}

Status OutputFile::commit() {
  if (place_.empty()) return flush();
  if (appends_) return append_all();
  if (Status written = flush(); !written.ok()) return written;
  // An old file is given up only for one that is on the disk.
  if (fsync(descriptor()) != 0) return unwritable(errno);
  if (temporary_.empty()) {
    const std::string nameless = fmt::format("/proc/self/fd/{}", descriptor());
    std::string name;
    const int linked = with_free_name(folder_of_output(place_), name, [&](const char* free) {
      return linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, free, AT_SYMLINK_FOLLOW);
    });
    if (linked != 0) return unwritable(errno);
    temporary_ = name;
  }
  if (std::rename(temporary_.c_str(), place_.c_str()) != 0) return unwritable(errno);
  temporary_.clear();
  place_.clear();  // what comes later, if anything, is written directly
  return {};
}

bool OutputFile::is_terminal() const { return !appends_ && isatty(descriptor()) != 0; }

Status write_whole(const std::string& path, std::string_view text, OutputFile::Mode mode) {
  OutputFile file;
  if (Status opened = file.open(path, mode); !opened.ok()) return opened;
  file.write(text);
  return file.commit();
}

bool find_place(const std::string& path, FilePlace& place) {
  struct stat about {};
  const bool exists =
      path == "-" ? fstat(STDIN_FILENO, &about) == 0 : stat(path.c_str(), &about) == 0;
  if (exists) {
    place = {about.st_dev, about.st_ino, {}};
    return S_ISREG(about.st_mode);
  }
  const std::string target = follow_output_links(path);
  if (stat(folder_of_output(target).c_str(), &about) != 0) return false;
  place = {about.st_dev, about.st_ino, fs::path(target).filename()};
  return true;
}

}  // namespace plumb
