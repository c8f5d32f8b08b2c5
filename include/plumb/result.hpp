// SPDX-License-Identifier: MIT
// Errors as values: the library never prints, never exits, and throws only on misuse.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "plumb/export.hpp"

namespace plumb {

/// The numbers are the command line's exit statuses.
enum class ErrorKind { usage = 64, bad_input = 65, missing_file = 66, internal = 70 };

/// What is wrong, where, and the remedy.
struct Error {
  ErrorKind kind = ErrorKind::bad_input;
  std::string message;      // what is wrong
  std::string remedy = {};  // what to do about it
  std::string file = {};
  std::uint64_t line = 0;    // from 1; 0 where it makes no sense
  std::string details = {};  // whole lines: what a compiler printed besides

  /// "FILE:LINE: message (remedy)"
  PLUMB_API std::string to_string() const;
};

/// Success, or why not. One word; free where nothing is wrong.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::make_unique<Error>(std::move(error))) {}
  bool ok() const { return error_ == nullptr; }
  explicit operator bool() const { return ok(); }
  Error& error() { return *error_; }
  const Error& error() const { return *error_; }

 private:
  std::unique_ptr<Error> error_;
};

/// A T, or why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::move(value)) {}
  Result(Error error) : content_(std::move(error)) {}
  bool ok() const { return content_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& operator*() { return std::get<0>(content_); }
  const T& operator*() const { return std::get<0>(content_); }
  T* operator->() { return &std::get<0>(content_); }
  const T* operator->() const { return &std::get<0>(content_); }
  Error& error() { return std::get<1>(content_); }
  const Error& error() const { return std::get<1>(content_); }

 private:
  std::variant<T, Error> content_;
};

}  // namespace plumb
