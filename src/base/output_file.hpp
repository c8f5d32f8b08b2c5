// SPDX-License-Identifier: MIT
// The one way in which files of results are written, so that no result is ever lost or torn: the
// text goes to a file without a name beside its place, and takes the place when it is complete. Who
// opens the file sees the old one or all of the new one, whatever ends the program and when.
//
// Where the file system knows no files without a name, there is a hidden one (.plumb-PID-N.part)
// until then. Pipes, terminals and devices are written directly.
#pragma once

#include <sys/stat.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "plumb/result.hpp"

namespace plumb {

class OutputFile {
 public:
  /// `append`: what is written is added to the end of the file, in one piece, so that several
  /// commands can share it.
  enum class Mode { replace, append };

  OutputFile() = default;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Without commit() the old file stays.
  ~OutputFile();

  /// Before any work is done, which would be for nothing. Empty or "-": standard output. A symbolic
  /// link is followed.
  Status open(const std::string& path, Mode mode = Mode::replace);
  void write(std::string_view text);
  /// Hands on what was written. A pipe whose reader has ended is no error; anything else is.
  Status flush();
  /// All is written: the file takes its place.
  Status commit();
  bool is_terminal() const;
  /// Of the file itself, also when it is in its place.
  int descriptor() const { return fileno(file_); }

 private:
  Status open_directly(const struct stat* about);
  Status open_beside(const struct stat* old);
  Status append_all();
  Error unwritable(int why) const;

  std::FILE* file_ = stdout;
  std::string path_;       // as it was given; empty: standard output
  std::string place_;      // where the file will be; empty: it is written directly
  std::string temporary_;  // its name until then; empty: it has none
  bool appends_ = false;
  std::string appended_;
  int error_ = 0;  // errno
};

/// A whole file at once.
Status write_whole(const std::string& path, std::string_view text,
                   OutputFile::Mode mode = OutputFile::Mode::replace);

/// The file that a path names, through links, even if it is not there yet.
struct FilePlace {
  dev_t device = 0;
  ino_t inode = 0;   // of the file, or of the folder where it will be
  std::string name;  // in that folder; empty: the file exists
  bool operator==(const FilePlace&) const = default;
};
/// Only of ordinary files: false for devices and pipes, and where there is no such folder. "-" is
/// standard input.
bool find_place(const std::string& path, FilePlace& place);

}  // namespace plumb
