// SPDX-License-Identifier: MIT
// One operation into code: statements, expressions, and the rule of one shared access a statement.
//
// Granularity (why a proof about the model says something about the algorithm): a machine makes one
// access to shared memory at a time, so a statement outside `atomic` may have one, and before it
// stands a boundary. Everything else a statement does concerns the process alone, so no other
// process can tell when it happens, and it is done in the step before. A call, a return and an
// atomic block are steps of their own.
//
// Dead locals are cleared: two states that differ only in values that nobody will read behave
// alike. Liveness is the usual backward analysis over the code (live); a slot that is not live at a
// boundary is reset there.
//
// Ranges: a variable's type says which values it may have, and every store checks it. A local
// without a type has 16 bits. So nothing wraps around silently; a store out of range is a fault of
// the object.
#include "model/operation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/diagnostic.hpp"

namespace plumb::model {
namespace {

constexpr Cell kLow16 = -32768, kHigh16 = 32767;
constexpr std::uint32_t kMostLocals = 64;
constexpr std::size_t kMostCode = 60'000;

class OperationCompiler {
 public:
  OperationCompiler(Names& names, const CodeOutput& output)
      : names_(names), code_(output.code), points_(output.points), statements_(output.statements),
        op_number_(output.op_number), first_point_(output.points.size()),
        process_count_(output.processes), atomic_(names.in_spec) {}

  Op run(const OpText& text, const Op* like) {
    op_.name = text.name;
    op_.place = text.place;
    op_.entry = static_cast<std::uint32_t>(code_.size());
    if (like && like->parameters.size() != text.parameters.size())
      reject(text.place,
             fmt::format("'{}' has {} parameters here, but {} in the object", text.name,
                         text.parameters.size(), like->parameters.size()),
             "both must take the same");
    names_.enter();
    for (std::size_t i = 0; i < text.parameters.size(); ++i) {
      const ParameterText& p = text.parameters[i];
      Type type;
      if (like) {
        type = like->parameters[i].type;
        if (p.type) names_.same_type(p.place, type, names_.scalar_type(*p.type));
      } else if (p.type) {
        type = names_.scalar_type(*p.type);
      } else {
        reject(p.place, fmt::format("parameter '{}' has no type", p.name),
               fmt::format("say which values it may have: {} : 0..K-1", p.name));
      }
      op_.parameters.push_back(local(p.place, p.name, type));
    }
    block(text.body);
    names_.leave();
    op_.returns_value = returns_ == Returns::value;
    emit(op_.returns_value ? Code::no_result : Code::give_back, text.end);
    if (!names_.in_spec) {
      op_.return_point = static_cast<Cell>(points_.size());
      points_.push_back({Point::returning, op_number_, 0, text.end.line, 0});
      live();
    }
    return std::move(op_);
  }

 private:
  Variable local(Place place, const std::string& name, const Type& type) {
    if (op_.locals.size() == kMostLocals)
      reject(place, "too many local variables", fmt::format("at most {}", kMostLocals));
    Variable v;
    v.name = name;
    v.type = type;
    v.first = static_cast<Cell>(op_.locals.size());
    if (!name.empty()) names_.declare(place, name, {Symbol::local, 0, type, v});
    op_.locals.push_back(v);
    return v;
  }

  // ---- statements

  std::size_t emit(Code code, Place place, Cell a = 0, Cell b = 0, Cell c = 0, Cell d = 0) {
    if (code_.size() >= kMostCode) reject(place, "the model is too long", "leave something out");
    code_.push_back({code, a, b, c, d, place.line, place.column});
    return code_.size() - 1;
  }
  void land(std::size_t jump) { code_[jump].a = here(); }
  Cell here() const { return static_cast<Cell>(code_.size()); }

  void boundary(Place place) {
    const auto point = static_cast<Cell>(points_.size());
    points_.push_back({Point::inside, op_number_, static_cast<std::uint32_t>(here()), place.line, 0,
                       place.column});
    emit(Code::boundary, place, point);
  }

  // Counts the shared accesses of what one statement evaluates at once, and puts the boundary
  // before it where there is one.
  void accesses(Place place, std::initializer_list<const Expr*> parts, int more = 0) {
    if (atomic_) return;
    int count = more;
    for (const Expr* e : parts)
      if (e) count += shared_accesses(*e);
    if (count > 1)
      reject(place, fmt::format("{} shared accesses in one step", count),
             "read into a local first, or put the statement into atomic { }");
    if (count == 1) boundary(place);
  }

  int shared_accesses(const Expr& e) const {
    int count = 0;
    if (e.kind == ExprKind::name || e.kind == ExprKind::index) {
      const Symbol* found = names_.find(e.text);
      count += found && found->kind == Symbol::shared;
    }
    for (const ExprPtr& kid : e.kids) count += shared_accesses(*kid);
    return count;
  }

  void block(const Block& body) {
    names_.enter();
    for (const auto& s : body) statement(*s);
    names_.leave();
  }

  void statement(const Stmt& s) {
    if (!names_.in_spec)
      statements_.push_back({s.place, op_number_, static_cast<std::uint32_t>(here()), depth_});
    ++depth_;
    code_of(s);
    --depth_;
  }

  void code_of(const Stmt& s) {
    switch (s.kind) {
      case StmtKind::local: return declaration(s);
      case StmtKind::assign: return assignment(s);
      case StmtKind::expression:
        if (s.value->text == "min" || s.value->text == "max")
          reject(s.place, "this does nothing", "use its value: x = min(a, b)");
        accesses(s.place, {s.value.get()});
        expression(*s.value);
        emit(Code::pop, s.place);
        return;
      case StmtKind::branch: return branch(s);
      case StmtKind::loop_while: return loop_while(s);
      case StmtKind::loop_for: return loop_for(s);
      case StmtKind::loop_repeat: return loop_repeat(s);
      case StmtKind::leave:
        if (leaving_.empty()) reject(s.place, "break outside of a loop", "remove it");
        if (leaving_.back().atomic != atomic_)
          reject(s.place, "break out of an atomic block", "set a local, and test it outside");
        leaving_.back().jumps.push_back(emit(Code::jump, s.place));
        return;
      case StmtKind::give_back: return give_back(s);
      case StmtKind::atomic: {
        if (atomic_)
          reject(s.place, names_.in_spec ? "atomic in a specification" : "atomic inside atomic",
                 "it is atomic already");
        boundary(s.place);
        atomic_ = true;
        block(s.body);
        atomic_ = false;
        return;
      }
      case StmtKind::await:
        // Waiting is a step of its own even if it looks at locals only: it may never end.
        accesses(s.place, {s.value.get()});
        if (!atomic_ && shared_accesses(*s.value) == 0) boundary(s.place);
        condition(*s.value);
        emit(Code::await, s.place);
        return;
      case StmtKind::assertion:
        accesses(s.place, {s.value.get()});
        condition(*s.value);
        emit(Code::assertion, s.place);
        return;
    }
  }

  void declaration(const Stmt& s) {
    Type type = integer_type(kLow16, kHigh16);
    if (s.value) {
      accesses(s.place, {s.value.get()});
      const Type given = expression(*s.value);
      if (!s.type && given.kind != Type::integer) type = given;
      if (s.type) type = names_.scalar_type(*s.type);
      names_.same_type(s.value->place, type, given);
    } else {
      if (s.type) type = names_.scalar_type(*s.type);
      emit(Code::push, s.place, std::clamp(0, type.low, type.high));
    }
    const Variable v = local(s.place, s.name, type);
    emit(Code::store_local, s.place, v.first, type.low, type.high);
  }

  void assignment(const Stmt& s) {
    const Symbol& target = names_.symbol(s.target->place, s.target->text);
    if (target.kind == Symbol::constant || target.kind == Symbol::value)
      reject(s.place, fmt::format("'{}' is a constant", s.target->text),
             "only variables can be assigned to");
    const Variable v = target.variable;
    const Expr* index = element(*s.target, target);
    accesses(s.place, {index, s.value.get()}, target.kind == Symbol::shared ? 1 : 0);
    if (index) number(*index);
    const Type given = expression(*s.value);
    names_.same_type(s.value->place, v.type, given);
    const Code code = target.kind == Symbol::local ? Code::store_local
                      : index                      ? Code::store_indexed
                                                   : Code::store_shared;
    emit(code, s.place, v.first, v.type.low, v.type.high, v.size);
  }

  // The index expression of an access, null where it is no array; and complaints.
  const Expr* element(const Expr& e, const Symbol& found) const {
    if (found.variable.array && e.kind != ExprKind::index)
      reject(e.place, fmt::format("'{}' is an array", e.text),
             fmt::format("say which cell: {}[0]", e.text));
    if (!found.variable.array && e.kind == ExprKind::index)
      reject(e.place, fmt::format("'{}' is not an array", e.text), "leave the index out");
    return e.kind == ExprKind::index ? e.kids[0].get() : nullptr;
  }

  void branch(const Stmt& s) {
    accesses(s.place, {s.value.get()});
    condition(*s.value);
    const std::size_t to_other = emit(Code::jump_if_false, s.place);
    block(s.body);
    if (s.other.empty()) return land(to_other);
    const std::size_t to_end = emit(Code::jump, s.place);
    land(to_other);
    block(s.other);
    land(to_end);
  }

  void enter_loop() { leaving_.push_back({atomic_, {}}); }
  void end_loop() {
    for (const std::size_t jump : leaving_.back().jumps) land(jump);
    leaving_.pop_back();
  }

  void loop_while(const Stmt& s) {
    const Cell begin = here();
    enter_loop();
    accesses(s.place, {s.value.get()});
    condition(*s.value);
    const std::size_t to_end = emit(Code::jump_if_false, s.place);
    block(s.body);
    emit(Code::jump, s.place, begin);
    land(to_end);
    end_loop();
  }

  void loop_repeat(const Stmt& s) {
    const Cell begin = here();
    enter_loop();
    // What is declared in the body is known to its condition.
    names_.enter();
    for (const auto& inner : s.body) statement(*inner);
    if (s.value) {
      accesses(s.value->place, {s.value.get()});
      condition(*s.value);
      emit(Code::jump_if_false, s.place, begin);
    } else {
      emit(Code::jump, s.place, begin);
    }
    names_.leave();
    end_loop();
  }

  void loop_for(const Stmt& s) {
    names_.enter();
    accesses(s.place, {s.value.get(), s.bound.get()});
    const Type first = number(*s.value);
    // The bound is evaluated once.
    const auto fixed_bound = names_.folded(*s.bound);
    Type last;
    Variable bound;
    if (fixed_bound) {
      last = integer_type(names_.constant(*s.bound), names_.constant(*s.bound));
    } else {
      last = number(*s.bound);
      bound = local(s.place, "", last);
      emit(Code::store_local, s.place, bound.first, last.low, last.high);
    }
    // One beyond the bound is where it ends.
    const Type type = s.down ? integer_type(std::min(last.low - 1, first.low), first.high)
                             : integer_type(first.low, std::max(last.high + 1, first.high));
    const Variable v = local(s.place, s.name, type);
    emit(Code::store_local, s.place, v.first, type.low, type.high);
    const Cell begin = here();
    enter_loop();
    emit(Code::load_local, s.place, s.down ? -1 : v.first);
    const std::size_t left = code_.size() - 1;
    if (fixed_bound) emit(Code::push, s.place, static_cast<Cell>(*fixed_bound));
    else emit(Code::load_local, s.place, bound.first);
    if (s.down) {  // bound <= variable
      code_[left] = code_[left + 1];
      code_[left + 1] = {Code::load_local, v.first, 0, 0, 0, s.place.line};
    }
    emit(Code::less_equal, s.place);
    const std::size_t to_end = emit(Code::jump_if_false, s.place);
    block(s.body);
    emit(Code::load_local, s.place, v.first);
    emit(Code::push, s.place, s.down ? -1 : 1);
    emit(Code::add, s.place);
    emit(Code::store_local, s.place, v.first, type.low, type.high);
    emit(Code::jump, s.place, begin);
    land(to_end);
    end_loop();
    names_.leave();
  }

  void give_back(const Stmt& s) {
    const Returns now = s.value ? Returns::value : Returns::nothing;
    if (returns_ != Returns::unknown && returns_ != now)
      reject(s.place, "an operation returns a value always or never",
             "give all of its returns a value, or none");
    if (s.value) {
      accesses(s.place, {s.value.get()});
      const Type type = expression(*s.value);
      if (returns_ == Returns::unknown) {
        op_.result = type;
      } else {
        names_.same_type(s.value->place, op_.result, type);
        op_.result.low = std::min(op_.result.low, type.low);
        op_.result.high = std::max(op_.result.high, type.high);
      }
    }
    returns_ = now;
    emit(Code::give_back, s.place, s.value ? 1 : 0);
  }

  // ---- expressions

  Type number(const Expr& e) {
    const Type type = expression(e);
    names_.same_type(e.place, integer_type(0, 0), type);
    return type;
  }
  void condition(const Expr& e) { names_.same_type(e.place, kTruth, expression(e)); }

  /// Leaves the value on the stack. The range of the type is what the value can be at most.
  Type expression(const Expr& e) {
    switch (e.kind) {
      case ExprKind::number:
        emit(Code::push, e.place, static_cast<Cell>(e.value));
        return integer_type(e.value, e.value);
      case ExprKind::truth: emit(Code::push, e.place, static_cast<Cell>(e.value)); return kTruth;
      case ExprKind::self:
        if (names_.in_spec) reject(e.place, "self in a specification", "it knows no processes");
        op_.uses_self = true;
        emit(Code::self, e.place);
        return integer_type(0, process_count_ - 1);
      case ExprKind::name:
      case ExprKind::index: return access(e);
      case ExprKind::unary: return unary(e);
      case ExprKind::binary: return binary(e);
      case ExprKind::call: return function(e);
      case ExprKind::choose: {
        const Type low = number(*e.kids[0]), high = number(*e.kids[1]);
        emit(Code::choose, e.place);
        return integer_type(low.low, high.high);
      }
    }
    return {};
  }

  Type access(const Expr& e) {
    const Symbol found = names_.symbol(e.place, e.text);
    if (found.kind == Symbol::constant || found.kind == Symbol::value) {
      if (e.kind == ExprKind::index)
        reject(e.place, fmt::format("'{}' is not an array", e.text), "leave the index out");
      emit(Code::push, e.place, found.number);
      return found.type;
    }
    if (const Expr* index = element(e, found)) {
      number(*index);
      emit(Code::load_indexed, e.place, found.variable.first, found.variable.size);
    } else {
      emit(found.kind == Symbol::local ? Code::load_local : Code::load_shared, e.place,
           found.variable.first);
    }
    return found.type;
  }

  Type unary(const Expr& e) {
    if (e.text == "!") {
      condition(*e.kids[0]);
      emit(Code::invert, e.place);
      return kTruth;
    }
    const Type type = number(*e.kids[0]);
    emit(Code::negate, e.place);
    return integer_type(-std::int64_t{type.high}, -std::int64_t{type.low});
  }

  Type binary(const Expr& e) {
    if (e.text == "&&" || e.text == "||") {
      condition(*e.kids[0]);
      // Short circuit: what was decided stays on the stack.
      const std::size_t skip =
          emit(e.text == "&&" ? Code::jump_if_false : Code::jump_if_true, e.place);
      condition(*e.kids[1]);
      const std::size_t end = emit(Code::jump, e.place);
      land(skip);
      emit(Code::push, e.place, e.text == "&&" ? 0 : 1);
      land(end);
      return kTruth;
    }
    const Type left = expression(*e.kids[0]);
    const Type right = expression(*e.kids[1]);
    if (e.text == "==" || e.text == "!=") {
      names_.same_type(e.place, left, right);
      emit(e.text == "==" ? Code::equal : Code::different, e.place);
      return kTruth;
    }
    names_.same_type(e.kids[0]->place, integer_type(0, 0), left);
    names_.same_type(e.kids[1]->place, integer_type(0, 0), right);
    // a > b is !(a <= b)
    if (e.text == "<" || e.text == ">=") {
      emit(Code::less, e.place);
      if (e.text == ">=") emit(Code::invert, e.place);
      return kTruth;
    }
    if (e.text == "<=" || e.text == ">") {
      emit(Code::less_equal, e.place);
      if (e.text == ">") emit(Code::invert, e.place);
      return kTruth;
    }
    const std::int64_t a = left.low, b = left.high, c = right.low, d = right.high;
    if (e.text == "+") return emit(Code::add, e.place), integer_type(a + c, b + d);
    if (e.text == "-") return emit(Code::subtract, e.place), integer_type(a - d, b - c);
    if (e.text == "*") {
      emit(Code::multiply, e.place);
      const auto [low, high] = std::minmax({a * c, a * d, b * c, b * d});
      return integer_type(low, high);
    }
    emit(e.text == "/" ? Code::divide : Code::modulo, e.place);
    const std::int64_t most = std::max(std::abs(a), std::abs(b));
    return integer_type(a < 0 || c < 0 ? -most : 0, most);
  }

  Type function(const Expr& e) {
    const std::size_t wanted = e.text == "CAS" ? 3 : 2;
    if (e.kids.size() != wanted)
      reject(e.place, fmt::format("{} takes {} arguments", e.text, wanted),
             e.text == "CAS"    ? "CAS(variable, old, new)"
             : e.text == "FAA"  ? "FAA(variable, addend)"
             : e.text == "SWAP" ? "SWAP(variable, new)"
                                : "min(a, b), max(a, b)");
    if (e.text == "min" || e.text == "max") {
      const Type a = number(*e.kids[0]), b = number(*e.kids[1]);
      const bool least = e.text == "min";
      emit(least ? Code::minimum : Code::maximum, e.place);
      return least ? integer_type(std::min(a.low, b.low), std::min(a.high, b.high))
                   : integer_type(std::max(a.low, b.low), std::max(a.high, b.high));
    }
    if (names_.in_spec)
      reject(e.place, fmt::format("{} in a specification", e.text),
             "it is sequential: assign to the variable");
    const Expr& target = *e.kids[0];
    if (target.kind != ExprKind::name && target.kind != ExprKind::index)
      reject(target.place, fmt::format("{} works on a shared variable", e.text),
             "its first argument is the variable");
    const Symbol found = names_.symbol(target.place, target.text);
    if (found.kind != Symbol::shared)
      reject(target.place, fmt::format("'{}' is not a shared variable", target.text),
             fmt::format("{} works on shared variables", e.text));
    const Variable& v = found.variable;
    if (const Expr* index = element(target, found)) number(*index);
    else emit(Code::push, e.place, 0);
    for (std::size_t i = 1; i < e.kids.size(); ++i)
      names_.same_type(e.kids[i]->place, v.type, expression(*e.kids[i]));
    if (e.text == "FAA" && v.type.kind != Type::integer)
      reject(target.place, "FAA adds numbers", "use SWAP or CAS");
    emit(e.text == "CAS"   ? Code::compare_and_swap
         : e.text == "FAA" ? Code::fetch_and_add
                           : Code::swap,
         e.place, v.first, v.type.low, v.type.high, v.size);
    return e.text == "CAS" ? kTruth : v.type;
  }

  // ---- liveness

  void live() {
    const std::vector<Instruction>& code = code_;
    const std::size_t begin = op_.entry, size = code.size() - begin;
    std::vector<std::uint64_t> in(size + 1, 0);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = size; i-- > 0;) {
        const Instruction& instruction = code[begin + i];
        std::uint64_t out = 0;
        const auto target = [&] { return in[static_cast<std::size_t>(instruction.a) - begin]; };
        switch (instruction.code) {
          case Code::jump: out = target(); break;
          case Code::jump_if_false:
          case Code::jump_if_true: out = in[i + 1] | target(); break;
          case Code::give_back:
          case Code::no_result: break;
          case Code::store_local: out = in[i + 1] & ~(std::uint64_t{1} << instruction.a); break;
          case Code::load_local: out = in[i + 1] | std::uint64_t{1} << instruction.a; break;
          default: out = in[i + 1];
        }
        if (out != in[i]) {
          in[i] = out;
          changed = true;
        }
      }
    }
    for (std::size_t point = first_point_; point < points_.size(); ++point)
      if (points_[point].kind == Point::inside) points_[point].live = in[points_[point].ip - begin];
  }

  enum class Returns { unknown, nothing, value };
  struct Loop {
    bool atomic;
    std::vector<std::size_t> jumps;
  };

  Names& names_;
  std::vector<Instruction>& code_;
  std::vector<Point>& points_;
  std::vector<Statement>& statements_;
  std::uint32_t depth_ = 0;
  Op op_;
  const std::uint32_t op_number_;
  const std::size_t first_point_;
  const Cell process_count_;
  Returns returns_ = Returns::unknown;
  std::vector<Loop> leaving_;
  bool atomic_;
};

}  // namespace

Op compile_operation(const OpText& text, const Op* like, Names& names, const CodeOutput& output) {
  return OperationCompiler(names, output).run(text, like);
}

}  // namespace plumb::model
