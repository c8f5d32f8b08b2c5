// SPDX-License-Identifier: MIT
// Lamport, *On interprocess communication*, 1986: of a register with one writer, a read that
// overlaps no write returns the last value written before it. A read that does overlap writes
// returns anything if the register is safe; if it is regular, the last value written before it, or
// one of those that are being written meanwhile. docs/properties.md has the general definition,
// which `plumb check --property regular` decides; with one writer it is the same.
//
// An automaton without the history. It remembers the value of the last write that has returned,
// what is being written now, if anything is, and for each read that is under way the values that
// it may still return. Why this is enough: by induction over the events, those values are always
// just what the definition allows a read that returns now. When the read is called, that is the
// last value, and the one being written. After that, a call of write adds a value (safe: all);
// nothing takes one away, since what is overwritten meanwhile was not overwritten before the read
// began. With one writer no two writes overlap, so "the last one" always means something.
//
// A set has one configuration, whose row is: the last value, then for each process 0 if it is
// idle, else a bit for each value, of what it may return, or of what it writes.
//
// Reductions: more precedence allows less, so calls may come late and returns early (moves.hpp);
// and a read that may return less now may do so later (find_inclusion), hence antichains.
#include "refine/question/register_monitor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

namespace plumb::refine {
namespace {

constexpr std::uint32_t kWrites = 1u << 31, kAnything = 1u << 30;
constexpr std::size_t kMostValues = 30;

// Whether the specification does what a register does: a read returns what was written last, and
// changes nothing; nothing blocks.
bool is_register(const model::Program& program, const RegisterShape& shape) {
  model::Sequential sequential(program);
  const model::CallNumber read = sequential.number_of(model::ConcreteCall{shape.read, {}});
  std::vector<std::uint32_t> open = {model::Sequential::kInitial};
  std::map<std::uint32_t, model::Cell> known = {{open[0], shape.values.front()}};
  while (!open.empty()) {
    const std::uint32_t state = open.back();
    open.pop_back();
    const auto& reads = sequential.outcomes(state, read);
    if (reads.size() != 1 || reads[0].state != state || reads[0].result != known[state])
      return false;
    for (const model::Cell next : shape.values) {
      const auto& writes = sequential.outcomes(
          state, sequential.number_of(model::ConcreteCall{shape.write, {next}}));
      if (writes.size() != 1 || known.size() > kMostValues * kMostValues) return false;
      const auto [at, fresh] = known.emplace(writes[0].state, next);
      if (at->second != next) return false;
      if (fresh) open.push_back(writes[0].state);
    }
  }
  return true;
}

}  // namespace

RegisterShape register_shape(const model::Program& program) {
  RegisterShape shape;
  bool reads = false, writes = false;
  for (std::uint32_t i = 0; i < program.ops.size(); ++i) {
    const model::Op& op = program.ops[i];
    if (op.name == "read" && op.parameters.empty() && op.returns_value) {
      shape.read = i;
      reads = true;
    } else if (op.name == "write" && op.parameters.size() == 1 && !op.returns_value) {
      shape.write = i;
      writes = true;
    } else {
      shape.why_not = fmt::format("{}() is neither read() with a result nor write(v)", op.name);
      return shape;
    }
  }
  if (!reads || !writes) {
    shape.why_not = reads ? "it has no write(v)" : "it has no read()";
    return shape;
  }
  model::Sequential sequential(program);
  const auto& first = sequential.outcomes(
      model::Sequential::kInitial, sequential.number_of(model::ConcreteCall{shape.read, {}}));
  if (first.size() == 1) shape.values.push_back(first[0].result);
  std::uint32_t writers = 0;
  for (const model::ClientClass& c : program.classes) {
    bool writer = false;
    for (const auto& step : c.steps)
      for (const model::CallNumber number : step) {
        const model::ConcreteCall& call = program.calls[number];
        if (call.op != shape.write) continue;
        writer = true;
        if (std::find(shape.values.begin(), shape.values.end(), call.args[0]) == shape.values.end())
          shape.values.push_back(call.args[0]);
      }
    writers += writer ? c.count : 0;
  }
  if (writers > 1) shape.why_not = fmt::format("it has {} writers", writers);
  else if (shape.values.size() > kMostValues)
    shape.why_not = fmt::format("more than {} values", kMostValues);
  else if (shape.values.empty() || !is_register(program, shape))
    shape.why_not = "its specification is not a register";
  return shape;
}

RegisterMonitor::RegisterMonitor(Sets& sets, bool safe)
    : Monitor(sets), shape_(register_shape(program())), safe_(safe) {}

// 0: it is never written, and it is not the first one either.
std::uint32_t RegisterMonitor::value_bit(model::Cell value) const {
  const auto at = std::find(shape_.values.begin(), shape_.values.end(), value);
  return at == shape_.values.end() ? 0 : 1u << (at - shape_.values.begin());
}

SetId RegisterMonitor::only(const std::vector<std::uint32_t>& row) {
  std::vector<Config> one = {number(row)};
  return intern(one);
}

std::vector<std::uint32_t> RegisterMonitor::row_of(SetId set) const {
  const auto words = row(members(set).front());
  return {words.begin(), words.end()};
}

SetId RegisterMonitor::after_call(SetId set, std::uint32_t process, model::CallNumber number) {
  std::vector<std::uint32_t> row = row_of(set);
  const model::ConcreteCall& call = program().calls[number];
  std::uint32_t& own = row[process + 1];
  if (call.op == shape_.write) {
    const std::uint32_t value = value_bit(call.args[0]);
    for (std::size_t p = 1; p < row.size(); ++p)
      if (row[p]) row[p] |= safe_ ? kAnything : value;
    own = kWrites | value;
  } else {
    own = 1u << row[0];
    for (std::size_t p = 1; p < row.size(); ++p)
      if (row[p] & kWrites) own |= safe_ ? kAnything : row[p] & ~kWrites;
  }
  return only(row);
}

SetId RegisterMonitor::after_return(SetId set, std::uint32_t process, model::Cell result) {
  std::vector<std::uint32_t> row = row_of(set);
  const std::uint32_t own = std::exchange(row[process + 1], kIdle);
  if (own & kWrites) row[0] = static_cast<std::uint32_t>(std::countr_zero(own));
  else if (!(own & kAnything) && !(own & value_bit(result))) return kEmpty;
  return only(row);
}

bool RegisterMonitor::find_inclusion(SetId larger, SetId smaller) {
  const auto all = row(members(larger).front()), some = row(members(smaller).front());
  if (all[0] != some[0]) return false;
  for (std::size_t p = 1; p < all.size(); ++p) {
    const bool reads = all[p] && some[p] && !((all[p] | some[p]) & kWrites);
    if (reads ? (some[p] & ~all[p]) != 0 : all[p] != some[p]) return false;
  }
  return true;
}

}  // namespace plumb::refine
