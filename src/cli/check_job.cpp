// SPDX-License-Identifier: MIT
#include "cli/check_job.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "base/clock.hpp"
#include "check/online/read_stream.hpp"
#include "cli/commands.hpp"
#include "history/reader.hpp"
#include "plumb/nondeterminism.hpp"

namespace plumb::cli {
namespace {

// An input of up to so many bytes is decided as a file if the stream leaves it undecided. So its
// verdict does not depend on how fast it arrives.
constexpr std::size_t kMostKept = std::size_t{16} << 20;

bool is_folder(int fd) {
  struct stat about {};
  return fstat(fd, &about) == 0 && S_ISDIR(about.st_mode);
}

bool is_pipe(int fd) {
  struct stat about {};
  return fstat(fd, &about) == 0 && !S_ISREG(about.st_mode);
}

// Whether the user's limits, and not the stream, are why there is no verdict.
bool ended_by_limit(StopReason reason) {
  return reason == StopReason::time_limit || reason == StopReason::memory_limit ||
         reason == StopReason::out_of_memory || reason == StopReason::interrupted;
}

// If a file may be decided where the stream is not, reads it from `text`, which is all that was
// read of `fd`. Returns: whether that is so; the history is then the job's.
bool read_as_file(CheckJob& job, const ReadStream& found, std::string text, int fd,
                  const std::string& name) {
  const CheckReport& check = found.report.check;
  const bool undecided =
      found.status.ok() && check.verdict == Verdict::undecided && !ended_by_limit(check.stopped);
  // A header alone looks like a stream, whatever follows it.
  const bool misjudged = !found.status.ok() && !is_stream(text);
  if (text.empty() || job.stop || (!undecided && !misjudged)) return false;
  job.progress.phase = CheckPhase::reading;
  job.progress.events = 0;
  // A terminal would wait for more behind an end that it has already reported.
  job.history = undecided ? read_history_text(text, name, job.read)
                          : read_history_from(std::move(text), fd, name, job.read);
  return true;
}

}  // namespace

void CheckJob::run() {
  const Status done = guarded([this] {
    try {
      read_and_check();
    } catch (const SpecificationError& error) {
      failure = Error{ErrorKind::bad_input, error.what(), "correct the specification", file};
    } catch (const std::bad_alloc&) {
      CheckReport undecided;
      undecided.property = options.property;
      undecided.reason = "out of memory";
      undecided.stopped = StopReason::out_of_memory;
      report = std::move(undecided);
    }
  });
  if (!done.ok()) failure = done.error();
}

void CheckJob::read_and_check() {
  const auto start = Clock::now();
  progress.phase = CheckPhase::reading;
  if (follow || (file == "-" && may_stream)) {
    if (read_as_stream()) return;
  } else {
    history = read_history(file, read);
  }
  reading_seconds = since(start);
  if (!history->ok()) return;
  history_ready = true;
  if (options.timeout_seconds > 0) options.timeout_seconds -= reading_seconds;
  if (stop || options.timeout_seconds < 0) return;
  if (!quasi) {
    report = check(**history, options, &progress);
    return;
  }
  Result<QuasiReport> found = check_quasi(**history, *quasi, options, &progress);
  if (!found.ok()) {
    failure = found.error();
    return;
  }
  report = std::move(found->check);
  quasi_report = std::move(*found);
}

// Returns: whether it was one; else it is in `history` now.
bool CheckJob::read_as_stream() {
  const std::string name = file == "-" ? "standard input" : file;
  const int fd = file == "-" ? STDIN_FILENO : open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 || is_folder(fd)) {
    failure = Error{ErrorKind::missing_file,
                    fmt::format("cannot be opened: {}", std::strerror(fd < 0 ? errno : EISDIR)),
                    "give the name of a readable file", name};
    return true;
  }
  const bool grows = follow && !is_pipe(fd);
  if (grows && refuse_compressed(fd, name)) return true;
  std::string first;
  if (!grows) {
    bool at_end = false;
    Result<std::string> there = read_what_is_there(fd, stop, at_end);
    if (!there.ok()) {
      failure = there.error();
      failure->file = name;
      return true;
    }
    first = std::move(*there);
    if (stop) return true;
    if (at_end || !is_stream(first)) {
      history = read_history_from(std::move(first), fd, name, read);
      return false;
    }
  }
  return decide_stream(fd, std::move(first), name);
}

bool CheckJob::refuse_compressed(int fd, const std::string& name) {
  char head[4] = {};
  const auto n = pread(fd, head, sizeof head, 0);
  const bool is_compressed = n >= 2 && (std::memcmp(head, "\x1f\x8b", 2) == 0 ||
                                        std::memcmp(head, "\x28\xb5\x2f\xfd", 4) == 0);
  if (is_compressed)
    failure = Error{ErrorKind::bad_input, "is compressed, so it cannot be read line by line",
                    "omit --follow, or let the program write plain text", name};
  return is_compressed;
}

// Returns: whether that settles it; else it is in `history` now.
bool CheckJob::decide_stream(int fd, std::string first, const std::string& name) {
  const bool grows = follow && !is_pipe(fd);
  LiveLines lines(fd, std::move(first), grows ? file : "", read.line_limit, grows ? 0 : kMostKept,
                  stop);
  Stream decided({.specification = options.specification,
                  .initial = options.initial,
                  .partition = options.partition,
                  .memory_bytes = options.memory_bytes,
                  .interrupt = &stop});
  const auto start = Clock::now();
  Result<ReadStream> result = read_stream(lines, std::move(decided), stop, progress);
  if (result.ok() && read_as_file(*this, *result, lines.take_kept(), fd, name)) return false;
  if (!result.ok()) {
    failure = result.error();
  } else {
    if (!result->status.ok()) failure = result->status.error();
    history = std::move(result->report.history);
    history_ready = true;
    CheckReport& found = result->report.check;
    found.seconds = since(start);
    lost = lines.lost();
    note_end(found);
    report = std::move(found);
  }
  if (failure && failure->file.empty()) failure->file = name;
  return true;
}

// What was covered is not all that there is.
void CheckJob::note_end(CheckReport& found) const {
  if (found.verdict != Verdict::holds || (!stop && lost.empty())) return;
  found.verdict = Verdict::undecided;
  found.reason = stop ? "interrupted" : "the file " + lost;
  found.stopped = stop ? StopReason::interrupted : StopReason::input_lost;
  found.scope_notes.push_back(fmt::format("linearizable up to line {}", found.stream->lines));
}

}  // namespace plumb::cli
