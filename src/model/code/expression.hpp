// SPDX-License-Identifier: MIT
// Expressions into code that leaves their value on the stack; and the places in memory that
// expressions name.
#pragma once

#include "model/code/names.hpp"

namespace plumb::model {

/// Where the code of operations goes.
struct CodeOutput {
  std::vector<Instruction>& code;
  std::vector<Point>& points;
  std::vector<Statement>& statements;  // of the object's operations
  std::uint32_t op_number = 0;
};

/// What is not everything an operation can do.
struct Limits {
  bool atomic = false;         // it happens at once, so it may access as much as it likes
  bool deterministic = false;  // no choose, no await, no self
  bool pure = false;           // it changes nothing
};

class ExpressionCompiler {
 public:
  ExpressionCompiler(Names& names, const CodeOutput& output, const Limits& limits)
      : names_(names), code_(output.code), limits_(limits) {}

 protected:
  /// What a place in memory is; the index of it, if it has one, was left on the stack.
  struct Spot {
    Symbol::Kind kind = Symbol::shared;  // or local
    Variable variable;
    bool indexed = false;
    Type type;        // of the part that is meant
    Cell worth = 0;   // of one unit of that part; 0: it is the whole
    Cell index = -1;  // slot that keeps the index meanwhile
  };

  std::size_t emit(Code code, Place place, Cell a = 0, Cell b = 0, Cell c = 0, Cell d = 0,
                   Cell e = 0);
  void land(std::size_t jump) { code_[jump].a = here(); }
  Cell here() const { return static_cast<Cell>(code_.size()); }

  /// A new slot; without a name it is one that the compiler needs.
  Variable local(Place place, const std::string& name, const Type& type);

  /// How many accesses to shared memory the evaluation makes.
  int shared_accesses(const Expr& e) const;

  Type expression(const Expr& e);
  /// Rejects what is not of this type. `self` is a process where one is wanted, else a number.
  Type expression_of(const Expr& e, const Type& wanted);
  Type number(const Expr& e);
  void condition(const Expr& e) { names_.same_type(e.place, kTruth, expression(e)); }

  Spot spot(const Expr& e);
  Type load(Place place, const Spot& spot);
  /// Around the code that leaves the new value on the stack.
  void begin_store(Place place, Spot& spot);
  void store(Place place, const Spot& spot);
  /// Takes the index from the stack, for places that are accessed more than once.
  Spot kept(Place place, Spot spot);

  Names& names_;
  std::vector<Instruction>& code_;
  Op op_;
  const Limits limits_;

 private:
  Spot named(const Expr& e);
  Spot field(const Expr& e);
  Type place_type(const Expr& e) const;
  const Expr* element(const Expr& e, const Symbol& found) const;
  void load_whole(Place place, const Spot& spot);
  Type unary(const Expr& e);
  Type binary(const Expr& e);
  Type function(const Expr& e);
  Spot target(const Expr& call, const Expr& e);
  Type double_compare_and_swap(const Expr& e);
  Type linked(const Expr& e);
  Variable link_of(Place place, const Spot& spot);
  Type record(const Expr& e, std::uint32_t id);
  Type fresh(const Expr& e);
};

}  // namespace plumb::model
