// SPDX-License-Identifier: MIT
// Finite tests (Line-Up, section 3.1): which operations are called, by which thread, in which
// order.
//
//   pre push(1), push(2); pop | pop, pop, push(3); post pop
//
// Each column is a thread; what comes before them and after them is called by thread `main`, alone.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb::lineup {

/// A method with its arguments: "push(1)".
struct Invocation {
  std::string method;
  std::string text;
  /// Who may call it.
  int only_on = -1;         // this column; -1: any
  bool one_thread = false;  // at most one column of a test has calls of this method
  /// What is not asked of it (relaxed.hpp).
  bool may_fail = false;
  bool weak_read = false;
  bool asynchronous = false;
  bool false_is_failure = true;  // it returns a bool; else that is a value like others
  std::string sample = {};       // a result as its type has them, as JSON; empty: not known
};

/// "1, 2": what is between the parentheses; and each of them.
std::string argument_text(const Invocation& invocation);
std::vector<std::string> argument_texts(const Invocation& invocation);

/// What is known of the object under test.
struct Object {
  std::string name;
  std::vector<Invocation> invocations;
  bool data_independent = false;  // see symmetry.hpp
  std::string reference = {};     // another class, whose serial histories are right; empty: its own
};

using Column = std::vector<int>;  // indices of invocations

struct Matrix {
  Column initial;
  std::vector<Column> columns;
  Column final;
  /// Of a test that is run serially: the first cell (see below) is called after the second has
  /// returned (relaxed.hpp).
  std::vector<std::pair<int, int>> after = {};

  friend auto operator<=>(const Matrix&, const Matrix&) = default;
};

/// An operation of a test, numbered: the initial ones, those of the columns one after the other,
/// the final ones.
struct Cell {
  int invocation;
  int thread;  // 0: main; 1, 2, ...: the columns
};
std::vector<Cell> cells(const Matrix& test);
int size(const Matrix& test);

/// "A", "B", ...; main is "main".
std::string thread_name(int thread);

std::string to_text(const Matrix& test, const Object& object);
/// Empty: `test` is what the text says. Otherwise what is wrong with it.
std::string parse(std::string_view text, const Object& object, Matrix& test);
std::string parse(std::string_view text, const Object& object, Column& column);

/// Whether the roles of the invocations allow it.
bool allowed(const Matrix& test, const Object& object);

/// The columns in an order of their own, longest first: tests that differ only in who is thread A
/// are one.
/// Requires: no invocation is bound to a thread.
Matrix canonical(Matrix test);

/// Each column of `a` begins the same column of `b` (section 3.1), and both begin and end alike.
bool is_prefix(const Matrix& a, const Matrix& b);

}  // namespace plumb::lineup
