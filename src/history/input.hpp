// SPDX-License-Identifier: MIT
// Text from files, standard input or memory, plain or compressed, in blocks that end at newlines.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "plumb/result.hpp"

namespace plumb {

inline Error bad_input(std::string message, std::string remedy, std::uint64_t line = 0) {
  return {ErrorKind::bad_input, std::move(message), std::move(remedy), {}, line};
}

/// A stretch of text. Behind its end are kPadding bytes that may be read (simdjson does).
struct Block {
  static constexpr std::size_t kPadding = 64;
  std::string bytes;  // text, then padding
  std::size_t size = 0;
  bool whole_lines = true;  // false: a line above the limit, which continues in the next block
  std::string_view text() const { return {bytes.data(), size}; }
};

class Input {
 public:
  virtual ~Input() = default;

  /// `path` "-" is standard input.
  static Result<std::unique_ptr<Input>> open(const std::string& path, std::size_t line_limit);
  /// A file that is open; `first` was read from it already.
  static Result<std::unique_ptr<Input>> resume(std::string first, int fd, std::size_t line_limit);
  /// Requires: the text outlives the input.
  static Result<std::unique_ptr<Input>> of_text(std::string_view text, std::size_t line_limit);

  /// Moves to the next block; it is empty at the end. The one before is gone.
  virtual Status advance() = 0;
  const Block& block() const { return block_; }

 protected:
  Block block_;
};

/// The lines of an input, without their ends. Starts with the input's current block.
class Lines {
 public:
  Lines(Input& input, std::size_t limit) : input_(input), limit_(limit) {}

  /// False at the end, and where something is wrong: then `status` says what.
  bool next(std::string_view& line) {
    while (at_ >= input_.block().size)
      if (!refill()) return false;
    const std::string_view rest = input_.block().text().substr(at_);
    const std::size_t end = rest.find('\n');
    line = rest.substr(0, end);
    at_ += line.size() + 1;
    ++number_;
    if (line.size() > limit_) return too_long();
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return true;
  }
  std::uint64_t number() const { return number_; }  // from 1
  Status& status() { return status_; }

 private:
  bool refill();
  bool too_long();

  Input& input_;
  std::size_t limit_;
  std::size_t at_ = 0;
  std::uint64_t number_ = 0;
  Status status_;
};

/// The characters of an input one by one, for formats that do not care for lines.
class Characters {
 public:
  explicit Characters(Input& input) : input_(&input), text_(input.block().text()) {}
  explicit Characters(std::string_view text) : text_(text) {}

  static constexpr int kEnd = -1;  // of the text, or something is wrong: then `status` says what
  int peek() {
    return at_ < text_.size() || refill() ? static_cast<unsigned char>(text_[at_]) : kEnd;
  }
  int get() {
    const int c = peek();
    if (c == kEnd) return c;
    ++at_;
    ++taken_;
    if (c == '\n') ++line_;
    return c;
  }
  std::uint64_t line() const { return line_; }    // of the next character, from 1
  std::uint64_t taken() const { return taken_; }  // characters so far
  Status& status() { return status_; }

 private:
  bool refill();

  Input* input_ = nullptr;
  std::string_view text_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 1, taken_ = 0;
  Status status_;
};

}  // namespace plumb
