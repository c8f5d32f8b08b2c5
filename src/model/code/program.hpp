// SPDX-License-Identifier: MIT
// A compiled model: byte code of the object's operations and of the specification's, the layout of
// a state, and the calls that clients make.
//
// Code runs on a small stack of integers. `boundary` marks where another process may take a step:
// it stands before every statement with a shared access, so a step of a process is what lies
// between two boundaries: one access, and the local computation that follows it. Atomic blocks and
// specifications have no boundaries inside.
//
// A state is an array of integers: the shared variables, then a block of fields for each process
// (control point, place in the client's sequence, calls left, frame). The frame has the private
// variables of the process, which it keeps, and then the locals of its operation. Layout packs a
// state into as few 64-bit words as its ranges allow.
//
// A record is one integer, its fields are the digits, so that a whole record is read, written and
// compared in one access. Nodes are arrays of shared variables, one for each field; a pointer is
// an index into these, from 1, and 0 is null.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/syntax/diagnostic.hpp"
#include "plumb/result.hpp"

namespace plumb::model {

using Cell = std::int32_t;

enum class Code : std::uint8_t {
  push,              // a
  pop,               //
  duplicate,         //
  load_local,        // a: slot
  store_local,       // a: slot; b..c: range
  load_shared,       // a: cell
  load_indexed,      // a: first cell, b: size; pops the index
  store_shared,      // a: cell; b..c: range
  store_indexed,     // a: first cell, d: size; b..c: range; pops the value, then the index
  compare_and_swap,  // as store_indexed; pops new, old, index; pushes whether
  fetch_and_add,     // as store_indexed; pops the addend, index; pushes what was there
  swap,              // as store_indexed; pops the value, index; pushes what was there
  load_safe,         // as store_indexed; e: the cells that say whether a write is under way
  load_regular,      // the same; b: the cells with what was there before the write
  begin_write,       // as load_regular; pops the index
  end_write,         // as load_regular; pops the index
  part,              // pops a record, pushes a field; a: what one unit of it is worth; b..c: range
  replace,           // the same field: pops its value and a record, pushes the record with it
  check,             // b..c: range of what is on the stack
  dereference,       // a: pool; pops a pointer, pushes the index of its node
  allocate,          // a: pool; pushes a pointer
  release,           // a: pool; pops a pointer
  link,              // a: slot; pops an index: what is there is watched
  linked,            // a: slot; pops an index; pushes whether it has not been written since
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
  await,          // pops; false: the step cannot be done now
  assertion,      // pops; false: a fault
  linearize,      // the operation takes effect in this step, says its designer
  boundary,       // a: control point
  give_back,      // a: whether there is a value on the stack
  no_result       // a fault: the end of an operation that returns values
};

struct Instruction {
  Code code;
  Cell a = 0, b = 0, c = 0, d = 0, e = 0;
  std::uint32_t line = 0, column = 0;
};

struct Type {
  enum Kind : std::uint8_t {
    integer,
    boolean,
    enumeration,
    record,
    pointer,
    process  // 0: null, else its number from 1
  } kind = integer;
  std::uint32_t id = 0;  // which enumeration, record, or pool of nodes
  Cell low = 0, high = 0;
};

struct Variable {
  std::string name;
  Type type;
  Cell first = 0, size = 1;
  bool array = false, by_process = false;  // by_process: indexed by them
  std::string field;                       // of the nodes that `name` says
  Cell busy = -1, before = -1;  // safe and regular: first cells; `before` only if it is regular
};

/// "B[2]", "Node2.next"
std::string cell_words(const Variable& variable, Cell index);

struct RecordType {
  std::string name;
  std::vector<Variable> fields;  // `first`: what one unit of this digit is worth
};

/// The nodes of one type.
struct Pool {
  std::string name;
  Cell size = 0;
  std::vector<Variable> fields;  // arrays of shared cells
  /// An array of shared cells: 0 while the node is in use, else how many `new` come before the one
  /// that takes it, and 1; all 1 where unused nodes are collected, since any is as good.
  Cell waiting = 0;
};

/// The cell that an operation has read with LL: its number from 1 is in the slot, until another
/// process writes to it.
struct Link {
  Cell first = 0, size = 0, slot = 0;
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
  std::vector<Link> links;
  std::optional<std::uint32_t> demand;  // where `requires` is decided
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
  Cell at_most = 0;        // 0: without end
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

/// "assert soar(history)": what is asked whenever an operation returns.
struct HistoryAssertion {
  std::string predicate;
  std::uint32_t line = 0;

  std::string words() const { return "assert " + predicate + "(history)"; }
};

struct SpecModel;

struct Program {
  std::string object;  // name
  std::vector<std::vector<std::string>> enumerations;
  std::vector<RecordType> records;
  std::vector<Pool> pools;
  bool collected = true;  // nodes that cannot be reached disappear; or else the object frees them
  std::vector<std::pair<std::string, std::int64_t>> constants;

  std::vector<Variable> shared;
  std::vector<Cell> initial_shared;
  std::vector<Instruction> code;
  std::vector<Op> ops;
  std::optional<Op> init;      // was run already: initial_shared is what it left
  std::vector<Op> invariants;  // name: the line
  std::optional<HistoryAssertion> asserted;
  std::vector<Point> points;
  std::vector<Statement> statements;
  std::vector<Variable> privates;     // the first slots of a frame
  std::vector<Cell> initial_private;  //
  std::uint32_t frame = 0;            // slots of a process; a local's is 0 while nothing is in it

  std::shared_ptr<const SpecModel> spec_model;  // null: what follows is the specification
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
  std::uint32_t first_local() const { return static_cast<std::uint32_t>(privates.size()); }
  std::uint32_t block_of(std::uint32_t process) const {
    return static_cast<std::uint32_t>(initial_shared.size()) + process * block();
  }
  std::uint32_t cells() const { return block_of(processes()); }
};

/// A specification that is another model: what its operations do if each runs alone, from its call
/// to its return. A state is its shared variables.
struct SpecModel {
  std::string file, text;
  Program program;                 // with one process, and no clients
  std::vector<std::uint32_t> ops;  // which of its operations is which of ours
};

/// Whether a step changes and reads nothing but what its instructions say: then there are no
/// nodes to collect and to number again, and no invariants to check after each step.
inline bool is_plain(const Program& program) {
  return program.pools.empty() && program.invariants.empty();
}

/// Whether the designer has said where operations take effect: `linearize`.
bool has_marks(const Program& program);

/// Whether a shared cell is a field of a node that is not in use.
bool unused(const Program& program, const Variable& variable, Cell index, const Cell* state);

/// A constant given from outside: --set NAME=VALUE.
using Settings = std::vector<std::pair<std::string, std::int64_t>>;

struct Compiled {
  std::optional<Program> program;
  Diagnostic diagnostic;  // where there is none
  std::string unknown_setting;
};

/// How the program's states are packed. Requires: all else of it is there.
Layout make_layout(const Program& program);
void pack(const Layout& layout, const Cell* state, std::uint64_t* words);
void unpack(const Layout& layout, const std::uint64_t* words, Cell* state);

/// Where a model comes from, so that it can name another one: spec "FILE".
struct Origin {
  std::string file = {};  // empty: names are relative to the current folder
  std::function<Result<std::string>(const std::string&)> read = {};  // null: there are no others
};

/// Never throws for what the text contains.
Compiled compile(std::string_view text, const Settings& settings = {}, const Origin& origin = {});

}  // namespace plumb::model
