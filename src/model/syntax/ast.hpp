// SPDX-License-Identifier: MIT
// A model as it was written: the parser's output and the compiler's input. docs/language.md has the
// grammar. Nothing here is checked yet, and every node knows its place in the file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plumb::model {

struct Place {
  std::uint32_t line = 0, column = 0;  // from 1
};

enum class ExprKind {
  number,
  truth,
  null,
  name,
  index,  // text[kid]
  field,  // kid.text
  self,
  unary,
  binary,
  call,   // of a primitive, of a procedure, or a record: kids with the names of fields
  fresh,  // new text(...)
  choose
};

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct Expr {
  ExprKind kind = ExprKind::number;
  Place place;
  std::uint32_t depth = 1;  // of a chain of operators or fields
  std::int64_t value = 0;   // number, truth
  std::string text;         // name, operator, field, or function
  std::vector<ExprPtr> kids;
  std::vector<std::string> labels;  // fresh, and call of a record: which field each kid is for
};

/// `bit`, `bool`, `lo..hi`, the name of an enumeration or record, or `*` and the name of a node;
/// with `[size]` an array.
struct TypeText {
  Place place;
  std::string name;  // empty: a range
  bool pointer = false;
  std::string steadiness;  // "safe", "regular", or nothing
  ExprPtr low, high;
  ExprPtr size;  // null: not an array
};

enum class StmtKind {
  local,
  assign,
  expression,
  branch,
  loop_while,
  loop_for,
  loop_repeat,
  leave,
  give_back,
  atomic,
  await,
  assertion,
  linearize,
  release
};

struct Stmt;
using Block = std::vector<std::unique_ptr<Stmt>>;

struct Stmt {
  StmtKind kind = StmtKind::expression;
  Place place;
  std::string name;              // local, for
  std::optional<TypeText> type;  // local
  ExprPtr target;                // assign
  ExprPtr value;                 // the expression or condition; for: the first value
  ExprPtr bound;                 // for
  bool down = false;             // for
  Block body, other;             // other: else
};

struct VariableText {
  Place place;
  std::string name;
  std::optional<TypeText> type;
  std::vector<ExprPtr> initial;  // one a cell, or one for all
  bool bracketed = false, repeats_last = false;
};

struct ParameterText {
  Place place;
  std::string name;
  std::optional<TypeText> type;
};

/// An operation or a procedure.
struct OpText {
  Place place;
  std::string name;
  std::vector<ParameterText> parameters;
  ExprPtr requires_;  // null: it can always be called
  Block body;
  Place end;
};

/// "assert soar(history)", beside the operations of an object.
struct HistoryAssertionText {
  Place place;
  std::string predicate;
};

/// The object, or its specification.
struct PartText {
  Place place;
  std::string name;
  std::vector<VariableText> variables, privates;
  std::vector<OpText> ops, procedures;
  std::optional<OpText> init;
  std::vector<ExprPtr> invariants;
  std::optional<HistoryAssertionText> assertion;
};

/// One call that a client may make; an argument that is null is `any`. No name: any call at all.
struct ClientCallText {
  Place place;
  std::string op;
  std::vector<ExprPtr> args;
};

/// "2 x { lock() ; unlock() } at most 3"
struct ClientsText {
  Place place;
  ExprPtr count;
  std::vector<std::vector<ClientCallText>> steps;  // each a choice between calls
  ExprPtr at_most;                                 // null: without end
};

struct ConstText {
  Place place;
  std::string name;
  ExprPtr value;
};

struct EnumText {
  Place place;
  std::string name;
  std::vector<std::pair<std::string, Place>> values;
};

/// "record Pair { a : bit, b : bit }", "node Node[4] { value : bit, next : *Node }"
struct FieldsText {
  Place place;
  std::string name;
  ExprPtr count;  // nodes; null: a record
  std::vector<ParameterText> fields;
};

/// spec "FILE": another model.
struct FileText {
  Place place;
  std::string name;
};

struct ModelText {
  std::vector<ConstText> constants;
  std::vector<EnumText> enumerations;
  std::vector<FieldsText> records, nodes;
  bool frees = false;  // it has a `free` somewhere
  std::optional<PartText> object, spec;
  std::optional<FileText> spec_file;  // in place of spec
  std::vector<ClientsText> clients;
  Place clients_place;
};

}  // namespace plumb::model
