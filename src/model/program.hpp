// SPDX-License-Identifier: MIT
// A compiled model: byte code of the object's operations and of the specification's, the layout of
// a state, and the calls that clients make.
//
// Code runs on a small stack of integers. `boundary` marks where another process may come between:
// it stands before every statement with a shared access, so a step of a process is what lies
// between two boundaries: one access, and the local computation that follows it. Atomic blocks and
// specifications have no boundaries inside.
//
// A state is an array of integers: the shared variables, then a block of fields for each process
// (control point, place in the client's sequence, calls left, frame). Layout packs it into as few
// 64-bit words as its ranges allow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/diagnostic.hpp"

namespace plumb::model {

using Cell = std::int32_t;

enum class Code : std::uint8_t {
  push,              // a
  pop,               //
  load_local,        // a: slot
  store_local,       // a: slot; b..c: range
  load_shared,       // a: cell
  load_indexed,      // a: first cell, b: size; pops the index
  store_shared,      // a: cell; b..c: range
  store_indexed,     // a: first cell, d: size; b..c: range; pops the value, then the index
  compare_and_swap,  // as store_indexed; pops new, old, index; pushes whether
  fetch_and_add,     // as store_indexed; pops the addend, index; pushes what was there
  swap,              // as store_indexed; pops the value, index; pushes what was there
  self,
  negate,
  invert,
  add,
  subtract,
  multiply,
  divide,
  modulo,
  equal,
  different,
  less,
  less_equal,
  minimum,
  maximum,
  choose,         // pops high and low; pushes any number between them
  jump,           // a
  jump_if_false,  // a
  jump_if_true,   // a
  await,          // pops; false: the step can not be done now
  assertion,      // pops; false: a fault
  boundary,       // a: control point
  give_back,      // a: whether there is a value on the stack
  no_result       // a fault: the end of an operation that returns values
};

struct Instruction {
  Code code;
  Cell a = 0, b = 0, c = 0, d = 0;
  std::uint32_t line = 0, column = 0;
};

struct Type {
  enum Kind : std::uint8_t { integer, boolean, enumeration } kind = integer;
  std::uint32_t enumeration_id = 0;
  Cell low = 0, high = 0;
};

struct Variable {
  std::string name;
  Type type;
  Cell first = 0, size = 1;
  bool array = false;
};

struct Op {
  std::string name;
  Place place;
  std::vector<Variable> parameters;
  std::vector<Variable> locals;  // parameters first; `first` is the slot
  std::uint32_t entry = 0;       // in the code
  bool returns_value = false;
  Type result;
  Cell return_point = 0;
  bool uses_self = false;
};

/// Where a process can stand. Point 0: between operations.
struct Point {
  enum Kind : std::uint8_t { idle, inside, returning } kind = idle;
  std::uint32_t op = 0;
  std::uint32_t ip = 0;
  std::uint32_t line = 0;
  std::uint64_t live = 0;  // slots whose value may still be read
  std::uint32_t column = 0;
};

/// Where a statement of the object stands in the text and in the code; in the order of the text, so
/// what is inside a statement follows it with a greater depth. A statement may be there several
/// times, with the same place.
struct Statement {
  Place place;
  std::uint32_t op = 0;     // whose code it is
  std::uint32_t first = 0;  // instruction
  std::uint32_t depth = 0;
};

using CallNumber = std::uint32_t;
struct ConcreteCall {
  std::uint32_t op = 0;
  std::vector<Cell> args;
};

struct ClientClass {
  std::uint32_t first = 0, count = 0;  // processes
  std::vector<std::vector<CallNumber>> steps;
  Cell at_most = 0;        // 0: for ever
  bool symmetric = false;  // nothing that its processes do depends on which of them does it
};

/// One integer of a state in its packed form.
struct Field {
  Cell low = 0;
  std::uint32_t word = 0, shift = 0;
  std::uint64_t mask = 0;
};

/// Where a process is in the packed form: in some bits of one word, or in several whole words.
struct PackedBlock {
  std::uint32_t word = 0, shift = 0, words = 1;
  std::uint64_t mask = 0;  // of one word
};

struct Layout {
  std::vector<Field> fields;        // by cell
  std::vector<PackedBlock> blocks;  // by process
  std::uint32_t words = 0;
};

struct Program {
  std::string object;  // name
  std::vector<std::vector<std::string>> enumerations;
  std::vector<std::pair<std::string, std::int64_t>> constants;

  std::vector<Variable> shared;
  std::vector<Cell> initial_shared;
  std::vector<Instruction> code;
  std::vector<Op> ops;
  std::vector<Point> points;
  std::vector<Statement> statements;
  std::uint32_t frame = 0;  // slots of a process; 0 while nothing is in them

  std::vector<Variable> spec_variables;
  std::vector<Cell> initial_spec;
  std::vector<Instruction> spec_code;
  std::vector<Op> spec_ops;  // in the order of `ops`
  std::uint32_t spec_frame = 0;

  std::vector<ConcreteCall> calls;
  std::vector<ClientClass> classes;
  std::vector<std::uint32_t> class_of;  // by process
  Layout layout;

  std::uint32_t processes() const { return static_cast<std::uint32_t>(class_of.size()); }
  std::uint32_t block() const { return 3 + frame; }  // fields of a process
  std::uint32_t block_of(std::uint32_t process) const {
    return static_cast<std::uint32_t>(initial_shared.size()) + process * block();
  }
  std::uint32_t cells() const { return block_of(processes()); }
};

/// A constant given from outside: --set NAME=VALUE.
using Settings = std::vector<std::pair<std::string, std::int64_t>>;

struct Compiled {
  std::optional<Program> program;
  Diagnostic diagnostic;  // where there is none
  std::string unknown_setting;
};

/// How the program's states are packed. Requires: all else of it is there.
Layout make_layout(const Program& program);

/// Never throws for what the text contains.
Compiled compile(std::string_view text, const Settings& settings = {});

}  // namespace plumb::model
