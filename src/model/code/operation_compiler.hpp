// SPDX-License-Identifier: MIT
// The compiler of one operation as a class: operation.cpp has operations and plain statements,
// control.cpp branches, loops, returns and procedures.
#pragma once

#include <initializer_list>
#include <vector>

#include "model/code/operation.hpp"

namespace plumb::model {

class OperationCompiler : ExpressionCompiler {
 public:
  OperationCompiler(Names& names, const CodeOutput& output, const Limits& limits)
      : ExpressionCompiler(names, output, limits), points_(output.points),
        statements_(output.statements), op_number_(output.op_number),
        first_point_(output.points.size()), scopes_(names.depth()), atomic_(limits.atomic) {
    op_.entry = static_cast<std::uint32_t>(code_.size());
  }

  Op operation(const OpText& text, const Op* like);
  Op init(const OpText& text);
  Op invariant(const Expr& e);

 private:
  Type parameter_type(const ParameterText& p) const;

  void visible(Place place, const Type& type) const;
  void demand(const Expr& e);
  void boundary(Place place);
  void accesses(Place place, std::initializer_list<const Expr*> parts);
  void accesses(Place place, int count);
  Type value(Place place, const Expr& e, const Type* wanted = nullptr);
  void truth(Place place, const Expr& e);

  // ---- statements

  void block(const Block& body);
  void statement(const Stmt& s);
  void code_of(const Stmt& s);
  void declaration(const Stmt& s);
  void assignment(const Stmt& s);
  void slow_write(const Stmt& s, Spot to);
  void release(const Stmt& s);
  void linearize(const Stmt& s);
  void branch(const Stmt& s);

  void enter_loop() { leaving_.push_back({atomic_, {}}); }
  void end_loop() {
    for (const std::size_t jump : leaving_.back().jumps) land(jump);
    leaving_.pop_back();
  }

  void loop_while(const Stmt& s);
  void loop_repeat(const Stmt& s);
  void loop_for(const Stmt& s);

  // ---- returns and procedures

  struct Returns {
    enum Kind { unknown, nothing, value } kind = unknown;
    Type type;
  };
  struct CallResult {
    Returns returns;
    Variable slot;
  };
  struct Call {
    const OpText* procedure;
    Variable slot;  // of the result
    std::vector<std::size_t> ends;
  };
  void give_back(const Stmt& s);

  bool is_call(const Expr& e) const {
    return e.kind == ExprKind::call && names_.is_procedure(e.text);
  }

  CallResult call(const Expr& e);
  Type load_result(Place place, const CallResult& result);

  struct Loop {
    bool atomic;
    std::vector<std::size_t> jumps;
  };

  std::vector<Point>& points_;
  std::vector<Statement>& statements_;
  std::uint32_t depth_ = 0;  // of statements
  const std::uint32_t op_number_;
  const std::size_t first_point_;
  const std::size_t scopes_;  // outside the operation
  Returns returns_;
  std::vector<Call> calls_;
  std::vector<Loop> leaving_;
  bool atomic_;
};

}  // namespace plumb::model
