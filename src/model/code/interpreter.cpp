// SPDX-License-Identifier: MIT
// Nondeterminism inside a step (`choose`) is run again and again: the choices are kept in a list, a
// run repeats those that it finds there and adds new ones, and next_choice() counts like an
// odometer. So code needs no copies of half-done states, and the order is always the same, which is
// what lets a trace be stored as numbers of successors and replayed.
//
// The loop of run() decides what an instruction is; what it does is a function of its own, which
// the compiler puts into the loop (PLUMB_IN_LOOP), since this is the hottest code of a search.
#include "model/code/interpreter.hpp"

#include <fmt/format.h>

#include <algorithm>

#define PLUMB_IN_LOOP [[gnu::always_inline]] inline

namespace plumb::model {
namespace {

constexpr std::uint32_t kLongestRun = 100'000;  // instructions without a shared access
constexpr std::int64_t kMost = 2'000'000'000;
constexpr std::int64_t kMostChoices = 100'000;

/// Whether an instruction touches no shared cell. Of an instruction that is new here, it is not
/// known.
bool is_local(Code code) {
  constexpr Code kLocal[] = {
      Code::push,         Code::pop,        Code::duplicate,   Code::part,      Code::replace,
      Code::check,        Code::load_local, Code::store_local, Code::self,      Code::negate,
      Code::invert,       Code::add,        Code::subtract,    Code::multiply,  Code::divide,
      Code::modulo,       Code::equal,      Code::different,   Code::less,      Code::less_equal,
      Code::minimum,      Code::maximum,    Code::choose,      Code::jump,      Code::jump_if_false,
      Code::jump_if_true, Code::await,      Code::assertion,   Code::linearize, Code::boundary,
      Code::give_back,    Code::no_result};
  constexpr std::uint64_t kMask = [&] {
    std::uint64_t mask = 0;
    for (const Code local : kLocal) mask |= std::uint64_t{1} << static_cast<unsigned>(local);
    return mask;
  }();
  return kMask >> static_cast<unsigned>(code) & 1;
}
static_assert(static_cast<unsigned>(Code::no_result) < 64);

}  // namespace

void Coverage::merge(const Coverage& other) {
  const auto add = [](std::vector<std::uint8_t>& to, const std::vector<std::uint8_t>& from) {
    to.resize(std::max(to.size(), from.size()), 0);
    for (std::size_t i = 0; i < from.size(); ++i) to[i] |= from[i];
  };
  add(code, other.code);
  add(returned, other.returned);
}

Interpreter::Interpreter(const Program& program) : program_(program) {
  for (const Op& op : program.ops) links_ = links_ || !op.links.empty();
}

bool Interpreter::invariants_hold(Cell* state, std::uint8_t* covered) {
  const std::size_t made = made_;
  bool hold = true;
  for (const Op& op : program_.invariants) {
    const RunEnd end = run({program_.code.data(), state, nullptr, 0, covered, true}, op.entry);
    if (end == RunEnd::returned && result_ == 0)
      fail(program_.code[op.entry], "the invariant does not hold");
    hold = end == RunEnd::returned && result_ != 0;
    if (!hold) break;
  }
  made_ = made;
  return hold;
}

RunEnd Interpreter::fail(const Instruction& at, std::string message) {
  fault_ = {at.line, std::move(message)};
  const auto ip = static_cast<std::size_t>(&at - program_.code.data());  // of a specification: none
  for (const Op& op : program_.ops)
    if (op.demand && ip >= op.entry && ip <= *op.demand) fault_.in_requires = true;
  return RunEnd::fault;
}

RunEnd Interpreter::fail_range(const Instruction& at, std::int64_t value) {
  return fail(at, fmt::format("{} is not in {}..{}", value, at.b, at.c));
}

RunEnd Interpreter::fail_index(const Instruction& at, std::int64_t index, Cell size) {
  return fail(at, fmt::format("index {} is not in 0..{}", index, size - 1));
}

// What the next instruction will touch. Whatever is not known to be local touches everything: so do
// nodes, and LL and SC, because a write reaches into the processes that have read with LL.
void Interpreter::note(const Instruction& next) {
  auto& reads = footprint_->reads;
  auto& writes = footprint_->writes;
  const auto mark = [](std::vector<std::uint64_t>& cells, Cell first, std::int64_t index,
                       Cell size) {
    if (index < 0 || index >= size) return;  // a fault
    const auto cell = static_cast<std::size_t>(first + index);
    cells[cell / 64] |= std::uint64_t{1} << cell % 64;
  };
  switch (next.code) {
    case Code::load_shared: return mark(reads, next.a, 0, 1);
    case Code::load_indexed: return mark(reads, next.a, stack_.below(0), next.b);
    case Code::store_shared: return mark(writes, next.a, 0, 1);
    case Code::store_indexed:
    case Code::fetch_and_add:
    case Code::swap: return mark(writes, next.a, stack_.below(1), next.d);
    case Code::compare_and_swap: return mark(writes, next.a, stack_.below(2), next.d);
    case Code::load_safe:
    case Code::load_regular:
    case Code::begin_write:
    case Code::end_write: {
      const bool write = next.code == Code::begin_write || next.code == Code::end_write;
      auto& cells = write ? writes : reads;
      const std::int64_t index = stack_.below(0);
      mark(cells, next.a, index, next.d);
      mark(cells, next.e, index, next.d);
      if (next.code != Code::load_safe && next.b >= 0) mark(cells, next.b, index, next.d);
      return;
    }
    default:
      if (!is_local(next.code)) std::fill(writes.begin(), writes.end(), ~std::uint64_t{0});
  }
}

std::int64_t Interpreter::choice(std::int64_t low, std::int64_t high) {
  if (made_ == choices_.size()) choices_.push_back({low, high});
  return choices_[made_++].taken;
}

bool Interpreter::next_choice() {
  choices_.resize(made_);
  while (!choices_.empty() && choices_.back().taken == choices_.back().last) choices_.pop_back();
  if (choices_.empty()) return false;
  ++choices_.back().taken;
  return true;
}

// Where the object frees nodes, the last one that was freed is used first, as most allocators do.
bool Interpreter::allocate(std::uint32_t pool, const Run& run) {
  Cell* shared = run.shared;
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
    written(v.first + node, run);
  }
  push(node + 1);
  return true;
}

void Interpreter::release(std::uint32_t pool, Cell node, Cell* shared) {
  const Pool& p = program_.pools[pool];
  Cell* waiting = shared + p.waiting;
  for (Cell i = 0; i < p.size; ++i) waiting[i] += waiting[i] > 0;
  waiting[node] = 1;
  for (const Variable& v : p.fields)
    shared[v.first + node] = std::clamp(0, v.type.low, v.type.high);
}

// A process that has read this cell with LL must not succeed with SC any more.
void Interpreter::written(Cell cell, const Run& run) {
  if (!links_ || !run.object) return;
  for (std::uint32_t p = 0; p < program_.processes(); ++p) {
    Cell* block = run.shared + program_.block_of(p);
    const Point& at = program_.points[static_cast<std::size_t>(block[0])];
    if (at.kind != Point::inside) continue;
    for (const Link& link : program_.ops[at.op].links) {
      Cell& slot = block[3 + static_cast<std::uint32_t>(link.slot)];
      if (slot == cell - link.first + 1 && cell >= link.first) slot = 0;
    }
  }
}

PLUMB_IN_LOOP RunEnd Interpreter::store(const Instruction& i, Cell* cells) {
  const std::int64_t value = pop();
  if (value < i.b || value > i.c) return fail_range(i, value);
  cells[i.a] = static_cast<Cell>(value);
  return RunEnd::running;
}

PLUMB_IN_LOOP RunEnd Interpreter::store_shared(const Instruction& i, const Run& run) {
  const RunEnd end = store(i, run.shared);
  if (end == RunEnd::running) written(i.a, run);
  return end;
}

PLUMB_IN_LOOP RunEnd Interpreter::load_indexed(const Instruction& i, const Cell* shared) {
  const std::int64_t index = pop();
  if (index < 0 || index >= i.b) return fail_index(i, index, i.b);
  push(shared[i.a + index]);
  return RunEnd::running;
}

// Registers that are not atomic: safe and regular ones.
PLUMB_IN_LOOP RunEnd Interpreter::weak_register(const Instruction& i, Cell* shared) {
  const std::int64_t index = pop();
  if (index < 0 || index >= i.d) return fail_index(i, index, i.d);
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
    push(cell);
  } else if (i.code == Code::load_safe) {
    push(choice(i.b, i.c));
  } else {
    push(choice(0, 1) ? cell : shared[i.b + index]);
  }
  return RunEnd::running;
}

// A store, or a read-modify-write.
PLUMB_IN_LOOP RunEnd Interpreter::change_indexed(const Instruction& i, const Run& run,
                                                 std::uint8_t& seen) {
  std::int64_t value = pop();
  const std::int64_t old = i.code == Code::compare_and_swap ? pop() : 0;
  const std::int64_t index = pop();
  if (index < 0 || index >= i.d) return fail_index(i, index, i.d);
  Cell& cell = run.shared[i.a + index];
  if (i.code == Code::compare_and_swap) {
    push(cell == old ? 1 : 0);
    seen |= cell == old ? Coverage::yes : Coverage::no;
    if (cell != old) return RunEnd::running;
  } else if (i.code != Code::store_indexed) {
    push(cell);
    if (i.code == Code::fetch_and_add) value += cell;
  }
  if (value < i.b || value > i.c) return fail_range(i, value);
  cell = static_cast<Cell>(value);
  written(static_cast<Cell>(i.a + index), run);
  return RunEnd::running;
}

PLUMB_IN_LOOP RunEnd Interpreter::check(const Instruction& i) {
  const std::int64_t value = stack_.back();
  return value < i.b || value > i.c ? fail_range(i, value) : RunEnd::running;
}

PLUMB_IN_LOOP RunEnd Interpreter::replace(const Instruction& i) {
  const std::int64_t value = pop();
  if (value < i.b || value > i.c) return fail_range(i, value);
  std::int64_t& record = stack_.back();
  record += (value - (record / i.a % (i.c - i.b + 1) + i.b)) * i.a;
  return RunEnd::running;
}

PLUMB_IN_LOOP RunEnd Interpreter::use_node(const Instruction& i, Cell* shared) {
  const auto pool = static_cast<std::uint32_t>(i.a);
  const auto node = static_cast<Cell>(pop() - 1);
  const bool read = i.code == Code::dereference;
  if (node < 0) return fail(i, read ? "a null pointer is dereferenced" : "null is freed");
  if (shared[program_.pools[pool].waiting + node] != 0)
    return fail(i, read ? "a node is used after it was freed" : "a node is freed twice");
  if (read) push(node);
  else release(pool, node, shared);
  return RunEnd::running;
}

PLUMB_IN_LOOP RunEnd Interpreter::choose(const Instruction& i) {
  const std::int64_t high = pop(), low = pop();
  if (low > high) return RunEnd::blocked;
  if (high - low > kMostChoices) return fail(i, "choose has too many values");
  push(choice(low, high));
  return RunEnd::running;
}

PLUMB_IN_LOOP RunEnd Interpreter::await(std::uint8_t& seen) {
  const bool passes = pop() != 0;
  seen |= passes ? Coverage::yes : Coverage::no;
  return passes ? RunEnd::running : RunEnd::blocked;
}

PLUMB_IN_LOOP RunEnd Interpreter::give_back(const Instruction& i) {
  result_ = i.a ? pop() : 0;
  if (result_ > kMost / 2 || result_ < -kMost / 2) return fail(i, "a number becomes too large");
  return RunEnd::returned;
}

// add, subtract, multiply, divide, modulo
PLUMB_IN_LOOP RunEnd Interpreter::arithmetic(const Instruction& i) {
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
  return a > kMost || a < -kMost ? fail(i, "a number becomes too large") : RunEnd::running;
}

// equal, different, less, less_equal, minimum, maximum
PLUMB_IN_LOOP void Interpreter::compare(Code code) {
  const std::int64_t b = pop();
  std::int64_t& a = stack_.back();
  a = code == Code::equal        ? a == b
      : code == Code::different  ? a != b
      : code == Code::less       ? a < b
      : code == Code::less_equal ? a <= b
      : code == Code::minimum    ? std::min(a, b)
                                 : std::max(a, b);
}

RunEnd Interpreter::run(const Run& run, std::uint32_t ip) {
  const Run r = run;  // in registers
  stack_.clear();
  made_ = 0;
  marks_ = 0;
  for (std::uint32_t ran = 0; ran < kLongestRun; ++ran) {
    std::uint8_t& seen = r.covered[ip];
    const Instruction& i = r.code[ip++];
    if (footprint_) note(i);
    seen |= Coverage::reached;
    RunEnd end = RunEnd::running;
    switch (i.code) {
      case Code::push: push(i.a); break;
      case Code::pop: stack_.pop_back(); break;
      case Code::duplicate: push(stack_.back()); break;
      case Code::load_local: push(r.locals[i.a]); break;
      case Code::store_local: end = store(i, r.locals); break;
      case Code::load_shared: push(r.shared[i.a]); break;
      case Code::store_shared: end = store_shared(i, r); break;
      case Code::load_indexed: end = load_indexed(i, r.shared); break;
      case Code::load_safe:
      case Code::load_regular:
      case Code::begin_write:
      case Code::end_write: end = weak_register(i, r.shared); break;
      case Code::store_indexed:
      case Code::compare_and_swap:
      case Code::fetch_and_add:
      case Code::swap: end = change_indexed(i, r, seen); break;
      case Code::check: end = check(i); break;
      case Code::part: stack_.back() = stack_.back() / i.a % (i.c - i.b + 1) + i.b; break;
      case Code::replace: end = replace(i); break;
      case Code::dereference:
      case Code::release: end = use_node(i, r.shared); break;
      case Code::allocate: end = allocate(i.a, r) ? end : RunEnd::cut; break;
      case Code::link: r.locals[i.a] = static_cast<Cell>(pop() + 1); break;
      case Code::linked: stack_.back() = r.locals[i.a] == stack_.back() + 1; break;
      case Code::self: push(r.self); break;
      case Code::negate: stack_.back() = -stack_.back(); break;
      case Code::invert: stack_.back() = !stack_.back(); break;
      case Code::add:
      case Code::subtract:
      case Code::multiply:
      case Code::divide:
      case Code::modulo: end = arithmetic(i); break;
      case Code::choose: end = choose(i); break;
      case Code::jump: ip = static_cast<std::uint32_t>(i.a); break;
      case Code::jump_if_false: ip = pop() ? ip : static_cast<std::uint32_t>(i.a); break;
      case Code::jump_if_true: ip = pop() ? static_cast<std::uint32_t>(i.a) : ip; break;
      case Code::await: end = await(seen); break;
      case Code::assertion: end = pop() ? end : fail(i, "an assertion fails"); break;
      case Code::linearize: ++marks_; break;
      case Code::boundary: return point_ = i.a, RunEnd::boundary;
      case Code::give_back: return give_back(i);
      case Code::no_result: return fail(i, "the operation ends without a result");
      default: compare(i.code); break;
    }
    if (end != RunEnd::running) return end;
  }
  return fail(r.code[ip], "the operation loops forever without a shared access");
}

}  // namespace plumb::model
