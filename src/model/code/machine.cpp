// SPDX-License-Identifier: MIT
// Nondeterminism inside a step (`choose`) is run again and again: the choices are kept in a list, a
// run repeats those that it finds there and adds new ones, and next_choice() counts like an
// odometer. So code needs no copies of half-done states, and the order is always the same, which is
// what lets a trace be stored as numbers of successors and replayed.
#include "model/code/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace plumb::model {
namespace {

constexpr std::uint32_t kLongestRun = 100'000;  // instructions without a shared access
constexpr std::int64_t kMost = 2'000'000'000;
constexpr std::int64_t kMostChoices = 100'000;

}  // namespace

void Coverage::merge(const Coverage& other) {
  const auto add = [](std::vector<std::uint8_t>& to, const std::vector<std::uint8_t>& from) {
    to.resize(std::max(to.size(), from.size()), 0);
    for (std::size_t i = 0; i < from.size(); ++i) to[i] |= from[i];
  };
  add(code, other.code);
  add(returned, other.returned);
}

Machine::Machine(const Program& program, NodeNames names)
    : program_(program), heap_(program), names_(names) {
  next_.resize(program.cells());
  coverage_.code.resize(program.code.size(), 0);
  coverage_.returned.resize(program.ops.size(), 0);
  spec_covered_.resize(program.spec_code.size(), 0);
  for (const Op& op : program.ops) links_ = links_ || !op.links.empty();
}

std::vector<Cell> Machine::initial() const {
  std::vector<Cell> state(program_.initial_shared);
  state.resize(program_.cells(), 0);
  for (std::uint32_t p = 0; p < program_.processes(); ++p) {
    Cell* block = state.data() + program_.block_of(p);
    block[2] = program_.classes[program_.class_of[p]].at_most;
    std::copy(program_.initial_private.begin(), program_.initial_private.end(), block + 3);
  }
  return state;
}

std::optional<Fault> Machine::begin(std::vector<Cell>& state) {
  if (program_.init) {
    std::vector<Cell> locals(program_.init->locals.size() + program_.first_local(), 0);
    choices_.clear();
    const End end = run(program_.code, program_.init->entry, state.data(), locals.data(), 0,
                        coverage_.code.data());
    if (end == End::cut) return Fault{program_.code[program_.init->entry].line, "too few nodes"};
    if (end == End::fault) return fault_;
    if (heap_.any()) heap_.renumber(state.data());
  }
  if (!invariants_hold(state.data())) return fault_;
  return {};
}

bool Machine::invariants_hold(Cell* state) {
  for (const Op& op : program_.invariants) {
    const End end = run(program_.code, op.entry, state, nullptr, 0, coverage_.code.data());
    if (end == End::returned && result_ != 0) continue;
    if (end == End::returned) fail(program_.code[op.entry], "the invariant does not hold");
    return false;
  }
  return true;
}

Machine::End Machine::fail(const Instruction& at, std::string message) {
  fault_ = {at.line, std::move(message)};
  const auto ip = static_cast<std::size_t>(&at - program_.code.data());  // of a specification: none
  for (const Op& op : program_.ops)
    if (op.demand && ip >= op.entry && ip <= *op.demand) fault_.in_requires = true;
  return End::fault;
}

// What the next instruction will touch. Whatever is not known to be local touches everything: so do
// nodes, and LL and SC, because a write reaches into the processes that have read with LL.
void Machine::note(const Instruction& next) {
  const auto mark = [&](std::vector<std::uint64_t>& cells, Cell first, std::int64_t index,
                        Cell size) {
    if (index < 0 || index >= size) return;  // a fault
    const auto cell = static_cast<std::size_t>(first + index);
    cells[cell / 64] |= std::uint64_t{1} << cell % 64;
  };
  switch (next.code) {
    case Code::load_shared: mark(footprint_->reads, next.a, 0, 1); return;
    case Code::load_indexed: mark(footprint_->reads, next.a, stack_.below(0), next.b); return;
    case Code::store_shared: mark(footprint_->writes, next.a, 0, 1); return;
    case Code::store_indexed:
    case Code::fetch_and_add:
    case Code::swap: mark(footprint_->writes, next.a, stack_.below(1), next.d); return;
    case Code::compare_and_swap: mark(footprint_->writes, next.a, stack_.below(2), next.d); return;
    case Code::load_safe:
    case Code::load_regular:
    case Code::begin_write:
    case Code::end_write: {
      const bool writes = next.code == Code::begin_write || next.code == Code::end_write;
      auto& cells = writes ? footprint_->writes : footprint_->reads;
      const std::int64_t index = stack_.below(0);
      mark(cells, next.a, index, next.d);
      mark(cells, next.e, index, next.d);
      if (next.code != Code::load_safe && next.b >= 0) mark(cells, next.b, index, next.d);
      return;
    }
    case Code::push:
    case Code::pop:
    case Code::duplicate:
    case Code::part:
    case Code::replace:
    case Code::check:
    case Code::load_local:
    case Code::store_local:
    case Code::self:
    case Code::negate:
    case Code::invert:
    case Code::add:
    case Code::subtract:
    case Code::multiply:
    case Code::divide:
    case Code::modulo:
    case Code::equal:
    case Code::different:
    case Code::less:
    case Code::less_equal:
    case Code::minimum:
    case Code::maximum:
    case Code::choose:
    case Code::jump:
    case Code::jump_if_false:
    case Code::jump_if_true:
    case Code::await:
    case Code::assertion:
    case Code::linearize:
    case Code::boundary:
    case Code::give_back:
    case Code::no_result: return;
    default:
      std::fill(footprint_->writes.begin(), footprint_->writes.end(), ~std::uint64_t{0});
      return;
  }
}

std::int64_t Machine::choice(std::int64_t low, std::int64_t high) {
  if (made_ == choices_.size()) choices_.push_back({low, high});
  return choices_[made_++].taken;
}

bool Machine::next_choice() {
  choices_.resize(made_);
  while (!choices_.empty() && choices_.back().taken == choices_.back().last) choices_.pop_back();
  if (choices_.empty()) return false;
  ++choices_.back().taken;
  return true;
}

// Where the object frees nodes, the last one that was freed is used first, as most allocators do.
bool Machine::allocate(std::uint32_t pool, Cell* shared) {
  const Pool& p = program_.pools[pool];
  Cell* waiting = shared + p.waiting;
  const Cell* first = std::find(waiting, waiting + p.size, 1);
  if (first == waiting + p.size) return false;
  const auto node = static_cast<Cell>(first - waiting);
  waiting[node] = 0;
  if (!program_.collected)
    for (Cell i = 0; i < p.size; ++i) waiting[i] -= waiting[i] > 0;
  for (const Variable& v : p.fields) {
    shared[v.first + node] = std::clamp(0, v.type.low, v.type.high);
    written(v.first + node, shared);
  }
  stack_.push_back(node + 1);
  return true;
}

void Machine::release(std::uint32_t pool, Cell node, Cell* shared) {
  const Pool& p = program_.pools[pool];
  Cell* waiting = shared + p.waiting;
  for (Cell i = 0; i < p.size; ++i) waiting[i] += waiting[i] > 0;
  waiting[node] = 1;
  for (const Variable& v : p.fields)
    shared[v.first + node] = std::clamp(0, v.type.low, v.type.high);
}

// Whoever has read this cell with LL must not succeed with SC any more.
void Machine::written(Cell cell, Cell* state) {
  if (!links_ || state != next_.data()) return;
  for (std::uint32_t p = 0; p < program_.processes(); ++p) {
    const Point& at = point(state, p);
    if (at.kind != Point::inside) continue;
    for (const Link& link : program_.ops[at.op].links) {
      Cell& slot = state[program_.block_of(p) + 3 + static_cast<std::uint32_t>(link.slot)];
      if (slot == cell - link.first + 1 && cell >= link.first) slot = 0;
    }
  }
}

Machine::End Machine::run(const std::vector<Instruction>& code, std::uint32_t ip, Cell* shared,
                          Cell* locals, std::uint32_t self, std::uint8_t* covered) {
  stack_.clear();
  made_ = 0;
  marks_ = 0;
  const auto pop = [this] {
    const std::int64_t value = stack_.back();
    stack_.pop_back();
    return value;
  };
  for (std::uint32_t ran = 0; ran < kLongestRun; ++ran) {
    std::uint8_t& seen = covered[ip];
    const Instruction& i = code[ip++];
    if (footprint_) note(i);
    seen |= Coverage::reached;
    const auto complain = [&](std::int64_t value) {
      return fail(i, fmt::format("{} is not in {}..{}", value, i.b, i.c));
    };
    switch (i.code) {
      case Code::push: stack_.push_back(i.a); break;
      case Code::pop: stack_.pop_back(); break;
      case Code::duplicate: stack_.push_back(stack_.back()); break;
      case Code::load_local: stack_.push_back(locals[i.a]); break;
      case Code::store_local:
      case Code::store_shared: {
        const std::int64_t value = pop();
        if (value < i.b || value > i.c) return complain(value);
        (i.code == Code::store_local ? locals : shared)[i.a] = static_cast<Cell>(value);
        if (i.code == Code::store_shared) written(i.a, shared);
        break;
      }
      case Code::load_shared: stack_.push_back(shared[i.a]); break;
      case Code::load_indexed: {
        const std::int64_t index = pop();
        if (index < 0 || index >= i.b)
          return fail(i, fmt::format("index {} is not in 0..{}", index, i.b - 1));
        stack_.push_back(shared[i.a + index]);
        break;
      }
      case Code::load_safe:
      case Code::load_regular:
      case Code::begin_write:
      case Code::end_write: {
        const std::int64_t index = pop();
        if (index < 0 || index >= i.d)
          return fail(i, fmt::format("index {} is not in 0..{}", index, i.d - 1));
        Cell& cell = shared[i.a + index];
        Cell& busy = shared[i.e + index];
        if (i.code == Code::begin_write) {
          if (busy) return fail(i, "two writes of a register that is not atomic overlap");
          busy = 1;
          if (i.b >= 0) shared[i.b + index] = cell;
        } else if (i.code == Code::end_write) {
          busy = 0;
          if (i.b >= 0) shared[i.b + index] = cell;
        } else if (!busy) {
          stack_.push_back(cell);
        } else if (i.code == Code::load_safe) {
          stack_.push_back(choice(i.b, i.c));
        } else {
          stack_.push_back(choice(0, 1) ? cell : shared[i.b + index]);
        }
        break;
      }
      case Code::store_indexed:
      case Code::compare_and_swap:
      case Code::fetch_and_add:
      case Code::swap: {
        std::int64_t value = pop();
        const std::int64_t old = i.code == Code::compare_and_swap ? pop() : 0;
        const std::int64_t index = pop();
        if (index < 0 || index >= i.d)
          return fail(i, fmt::format("index {} is not in 0..{}", index, i.d - 1));
        Cell& cell = shared[i.a + index];
        if (i.code == Code::compare_and_swap) {
          stack_.push_back(cell == old ? 1 : 0);
          seen |= cell == old ? Coverage::yes : Coverage::no;
          if (cell != old) break;
        } else if (i.code != Code::store_indexed) {
          stack_.push_back(cell);
          if (i.code == Code::fetch_and_add) value += cell;
        }
        if (value < i.b || value > i.c) return complain(value);
        cell = static_cast<Cell>(value);
        written(static_cast<Cell>(i.a + index), shared);
        break;
      }
      case Code::check:
        if (stack_.back() < i.b || stack_.back() > i.c) return complain(stack_.back());
        break;
      case Code::part: stack_.back() = stack_.back() / i.a % (i.c - i.b + 1) + i.b; break;
      case Code::replace: {
        const std::int64_t value = pop();
        if (value < i.b || value > i.c) return complain(value);
        std::int64_t& record = stack_.back();
        record += (value - (record / i.a % (i.c - i.b + 1) + i.b)) * i.a;
        break;
      }
      case Code::dereference:
      case Code::release: {
        const auto pool = static_cast<std::uint32_t>(i.a);
        const auto node = static_cast<Cell>(pop() - 1);
        const bool read = i.code == Code::dereference;
        if (node < 0) return fail(i, read ? "a null pointer is followed" : "null is freed");
        if (shared[program_.pools[pool].waiting + node] != 0)
          return fail(i, read ? "a node is used after it was freed" : "a node is freed twice");
        if (read) stack_.push_back(node);
        else release(pool, node, shared);
        break;
      }
      case Code::allocate:
        if (!allocate(static_cast<std::uint32_t>(i.a), shared)) return End::cut;
        break;
      case Code::link: locals[i.a] = static_cast<Cell>(pop() + 1); break;
      case Code::linked: stack_.back() = locals[i.a] == stack_.back() + 1; break;
      case Code::self: stack_.push_back(self); break;
      case Code::negate: stack_.back() = -stack_.back(); break;
      case Code::invert: stack_.back() = !stack_.back(); break;
      case Code::add:
      case Code::subtract:
      case Code::multiply:
      case Code::divide:
      case Code::modulo: {
        const std::int64_t b = pop();
        std::int64_t& a = stack_.back();
        if (b == 0 && (i.code == Code::divide || i.code == Code::modulo))
          return fail(i, "division by zero");
        a = i.code == Code::add        ? a + b
            : i.code == Code::subtract ? a - b
            : i.code == Code::multiply ? a * b
            : i.code == Code::divide   ? a / b
                                       : a % b;
        // Nothing in here is larger than kMost, so no product overflows.
        if (a > kMost || a < -kMost) return fail(i, "a number becomes too large");
        break;
      }
      case Code::equal:
      case Code::different:
      case Code::less:
      case Code::less_equal:
      case Code::minimum:
      case Code::maximum: {
        const std::int64_t b = pop();
        std::int64_t& a = stack_.back();
        a = i.code == Code::equal        ? a == b
            : i.code == Code::different  ? a != b
            : i.code == Code::less       ? a < b
            : i.code == Code::less_equal ? a <= b
            : i.code == Code::minimum    ? std::min(a, b)
                                         : std::max(a, b);
        break;
      }
      case Code::choose: {
        const std::int64_t high = pop(), low = pop();
        if (low > high) return End::blocked;
        if (high - low > kMostChoices) return fail(i, "choose has too many values");
        stack_.push_back(choice(low, high));
        break;
      }
      case Code::jump: ip = static_cast<std::uint32_t>(i.a); break;
      case Code::jump_if_false:
        if (!pop()) ip = static_cast<std::uint32_t>(i.a);
        break;
      case Code::jump_if_true:
        if (pop()) ip = static_cast<std::uint32_t>(i.a);
        break;
      case Code::await:
        if (!pop()) return seen |= Coverage::no, End::blocked;
        seen |= Coverage::yes;
        break;
      case Code::assertion:
        if (!pop()) return fail(i, "an assertion fails");
        break;
      case Code::linearize: ++marks_; break;
      case Code::boundary: point_ = i.a; return End::boundary;
      case Code::give_back:
        result_ = i.a ? pop() : 0;
        if (result_ > kMost / 2 || result_ < -kMost / 2)
          return fail(i, "a number becomes too large");
        return End::returned;
      case Code::no_result: return fail(i, "the operation ends without a result");
    }
  }
  return fail(code[ip], "the operation loops for ever without a shared access");
}

void Machine::tidy(Cell* state) {
  if (names_ == NodeNames::canonical) heap_.renumber(state);
  else heap_.collect(state);
}

void Machine::finish(End end, std::uint32_t process, const Op& op, Successor& successor,
                     const Visitor& visit) {
  if (end == End::cut) ++cuts_;
  if (end == End::cut || end == End::blocked) return;
  Cell* next = next_.data();
  Cell* block = next + program_.block_of(process);
  Cell* locals = block + 3;
  const std::uint32_t first_local = program_.first_local();
  successor.marks = marks_;
  std::uint64_t live = 0;
  if (end == End::boundary) {
    block[0] = point_;
    live = program_.points[static_cast<std::size_t>(point_)].live;
  } else if (end == End::returned) {
    block[0] = op.return_point;
    coverage_.returned[static_cast<std::size_t>(&op - program_.ops.data())] = 1;
  }
  for (std::uint32_t slot = first_local; slot < program_.frame; ++slot)
    if (!(live >> slot & 1)) locals[slot] = 0;
  if (end == End::returned && op.returns_value) locals[first_local] = static_cast<Cell>(result_);
  if (end != End::fault && heap_.any()) tidy(next);
  if (end != End::fault && !program_.invariants.empty()) {
    const std::size_t made = made_;
    if (!invariants_hold(next)) end = End::fault;
    made_ = made;
  }
  successor.fault = end == End::fault ? &fault_ : nullptr;
  successor.state = next;
  visit(successor);
}

void Machine::run_each(const Cell* state, std::uint32_t process, const Op& op, std::uint32_t ip,
                       const ConcreteCall* call, Successor& successor, const Visitor& visit) {
  const ClientClass& client = program_.classes[program_.class_of[process]];
  Cell* next = next_.data();
  Cell* block = next + program_.block_of(process);
  Cell* locals = block + 3;
  choices_.clear();
  do {
    std::copy(state, state + program_.cells(), next);
    if (call) {
      std::copy(call->args.begin(), call->args.end(), locals + program_.first_local());
      block[1] = (block[1] + 1) % static_cast<Cell>(client.steps.size());
      if (client.at_most) --block[2];
    }
    const End end = run(program_.code, ip, next, locals, process, coverage_.code.data());
    finish(end, process, op, successor, visit);
  } while (next_choice());
}

void Machine::successors(const Cell* state, std::uint32_t process, const Visitor& visit) {
  const std::uint32_t at = program_.block_of(process);
  const Point& from = point(state, process);
  const ClientClass& client = program_.classes[program_.class_of[process]];
  Successor successor;
  switch (from.kind) {
    case Point::idle:
      if (client.at_most && state[at + 2] == 0) return;
      successor.kind = StepKind::call;
      for (const CallNumber number : client.steps[static_cast<std::size_t>(state[at + 1])]) {
        const ConcreteCall& call = program_.calls[number];
        const Op& op = program_.ops[call.op];
        successor.call = number;
        run_each(state, process, op, op.entry, &call, successor, visit);
      }
      return;
    case Point::inside:
      successor.kind = StepKind::inside;
      successor.line = from.line;
      run_each(state, process, program_.ops[from.op], from.ip + 1, nullptr, successor, visit);
      return;
    case Point::returning: {
      const std::uint32_t first_local = program_.first_local();
      successor.kind = StepKind::give_back;
      successor.call = from.op;
      successor.result = program_.ops[from.op].returns_value ? state[at + 3 + first_local] : 0;
      Cell* next = next_.data();
      std::copy(state, state + program_.cells(), next);
      Cell* block = next + at;
      block[0] = 0;
      std::fill(block + 3 + first_local, block + 3 + program_.frame, 0);
      successor.state = next;
      visit(successor);
      return;
    }
  }
}

std::vector<Machine::Outcome> Machine::specified(const std::vector<Cell>& state,
                                                 const ConcreteCall& call,
                                                 std::optional<Fault>& fault) {
  std::vector<Outcome> outcomes;
  std::vector<Cell> locals;
  choices_.clear();
  do {
    Outcome outcome{state, 0};
    locals.assign(std::max<std::size_t>(program_.spec_frame, call.args.size()), 0);
    std::copy(call.args.begin(), call.args.end(), locals.begin());
    const End end = run(program_.spec_code, program_.spec_ops[call.op].entry, outcome.state.data(),
                        locals.data(), 0, spec_covered_.data());
    if (end == End::fault) {
      fault = fault_;
      return {};
    }
    if (end == End::blocked) continue;
    outcome.result = static_cast<Cell>(result_);
    add(outcomes, std::move(outcome));
  } while (next_choice());
  return outcomes;
}

void Machine::add(std::vector<Outcome>& outcomes, Outcome outcome) {
  const bool known = std::any_of(outcomes.begin(), outcomes.end(), [&](const Outcome& other) {
    return other.result == outcome.result && other.state == outcome.state;
  });
  if (!known) outcomes.push_back(std::move(outcome));
}

// A small search of its own: the code may choose, and it may go round in circles.
std::vector<Machine::Outcome> Machine::alone(const std::vector<Cell>& shared,
                                             const ConcreteCall& call,
                                             std::optional<Fault>& fault) {
  constexpr std::size_t kMostStates = 100'000;
  const Op& op = program_.ops[call.op];
  std::vector<Outcome> outcomes;
  std::set<std::vector<Cell>> met;
  std::vector<const std::vector<Cell>*> open;
  const auto meet = [&](const Successor& s) {
    if (s.fault && !fault) fault = *s.fault;
    if (s.fault) return;
    const auto [at, fresh] = met.emplace(s.state, s.state + program_.cells());
    if (fresh) open.push_back(&*at);
  };
  const std::uint64_t cuts_before = cuts_;
  std::vector<Cell> idle(shared);
  idle.resize(program_.cells(), 0);
  Successor successor;
  run_each(idle.data(), 0, op, op.entry, &call, successor, meet);
  while (!open.empty() && !fault && met.size() <= kMostStates && cuts_ == cuts_before) {
    const std::vector<Cell>& state = *open.back();
    open.pop_back();
    if (point(state.data(), 0).kind != Point::returning) {
      successors(state.data(), 0, meet);
      continue;
    }
    const auto end = state.begin() + static_cast<std::ptrdiff_t>(shared.size());
    add(outcomes, {{state.begin(), end}, op.returns_value ? end[3] : 0});
  }
  if (met.size() > kMostStates)
    fault = Fault{op.place.line, fmt::format("'{}' has too many states, even alone", op.name)};
  if (cuts_ > cuts_before)
    fault = Fault{op.place.line, fmt::format("'{}' finds no free node: declare more", op.name)};
  if (fault) outcomes.clear();
  return outcomes;
}

}  // namespace plumb::model
