// SPDX-License-Identifier: MIT
// Reads and writes the file formats of histories (docs/formats.md).
//
//   Result<History> h = plumb::read_history("run.jsonl.gz");
//   if (!h) std::cerr << h.error().to_string() << "\n";
//   else if (Status s = plumb::write_history(*h, "edn", std::cout); !s) ...
#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "plumb/export.hpp"
#include "plumb/history.hpp"
#include "plumb/result.hpp"

namespace plumb {

/// Use designated initialisers: fields may be added.
struct ReadOptions {
  /// What Jepsen's `:fail` of a `cas` means: the comparison failed, so it returned false; or it did
  /// not happen at all. By format: in EDN and JSON it did not happen (Knossos' reading), in the
  /// text log, and in files with a header, the comparison failed.
  enum FailedCas { by_format, mismatch, absent };

  std::string format = {};  // one of readable_formats(); empty: found out from the contents
  std::optional<ClockTime> clock_skew = {};
  FailedCas failed_cas = by_format;
  std::string specification = {};  // what the user says the object is; empty: the file knows
  std::size_t line_limit = std::size_t{64} << 20;  // bytes of one line, or of one EDN or JSON form
};

/// `path` "-" is standard input. Plain text, gzip or zstd, found out from the contents.
/// Memory: that of the history and a few blocks of text, whatever the size of the file.
PLUMB_API Result<History> read_history(const std::string& path, const ReadOptions& options = {});
/// `name` stands for the file in messages.
PLUMB_API Result<History> read_history_text(std::string_view text, std::string name,
                                            const ReadOptions& options = {});

/// Writes the history; an error names what the format cannot express.
PLUMB_API Status write_history(const History& history, std::string_view format, std::ostream& out);

PLUMB_API std::span<const std::string_view> readable_formats();
PLUMB_API std::span<const std::string_view> writable_formats();

}  // namespace plumb
