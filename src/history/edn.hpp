// SPDX-License-Identifier: MIT
// As much of EDN (Clojure's data notation) as recorded histories use.
//
// Nil, booleans, integers, reals and strings as they are. A keyword or a symbol is a string without
// its colon. Vectors, lists and sets are lists; a set is sorted, since its order means nothing. A
// map becomes opaque: JSON with sorted keys. Tags (`#inst`, `#jepsen.history.Op`) are dropped,
// `#_` drops the next form; `;` comments, and commas are blanks.
#pragma once

#include <string>
#include <string_view>

#include "history/input.hpp"
#include "plumb/value.hpp"

namespace plumb {

class EdnParser {
 public:
  /// `limit`: of the bytes of one form.
  EdnParser(Characters& in, std::size_t limit) : in_(in), limit_(limit) {}

  /// Skips blanks, comments, dropped forms and tags. Returns the first character of the next form
  /// ('#' for a set), or a closing bracket, or Characters::kEnd; does not take it.
  int next_form();

  /// Takes the next form. On false, `error` says what is wrong.
  bool value(Value& out);
  /// Takes the next form and appends it as JSON.
  bool text(std::string& out);
  /// Takes a keyword, a symbol or a string.
  bool name(std::string& out);

  /// From here on, a form begins whose bytes count against the limit.
  void begin_form() { form_start_ = in_.taken(); }

  /// With the line.
  Error& error() { return error_; }
  bool fail(std::string message, std::string remedy);

  /// Where it is set, the first comment goes here, without its semicolons.
  std::string* comment = nullptr;

 private:
  enum class Atom { nil, yes, no, integer, real, name, string };
  struct Token {
    Atom kind = Atom::nil;
    std::int64_t integer = 0;
    double real = 0;
  };

  bool atom(Token& out);
  bool quoted();
  bool escape();
  bool word();
  bool drop();
  bool too_deep();

  static constexpr int kDeepest = 200;  // below simdjson's limit even where maps become lists

  Characters& in_;
  std::size_t limit_;
  std::uint64_t form_start_ = 0;
  int depth_ = 0;
  bool set_ahead_ = false;  // "#" was taken, and "{" follows
  std::string word_;        // of the token
  Error error_;
};

}  // namespace plumb
