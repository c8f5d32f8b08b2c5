// SPDX-License-Identifier: MIT
// A model in which the interesting code never runs is linearizable, too. So the interpreter marks
// every instruction that it runs (model::Coverage), and when a search has seen everything, what
// has no mark never happens in any run of the model.
//
// Why the marks of a reduced search are those of the full one. A mark depends on a step alone: on
// the shared variables, and on the fields of the process that makes it.
//  * Antichain: a pair that is dropped has the same state of the implementation as one that is
//    kept, and what the object can do depends on that state only.
//  * Symmetry: renamed processes run the same code on the same values.
//  * Gluing: take any run, and move every return forward to just behind the step that leads to it,
//    and every call back to just before the first step behind it (or leave it out, if there is
//    none). The process itself does not notice, and the others cannot: a call and a return change
//    nothing but the fields of their own process. So the moved run makes the same steps on the same
//    values, and it is a run of the reduced search. A call that was left out is tried at its end.
//  * Partial order: of any run, some path of a Cartesian vector is completed first, and what comes
//    before it are beginnings of the other paths, which touch nothing in common; so each step of
//    the run is made on the same values, in a path that is visited or only tried (cartesian.hpp).
//  * Generators: they are about the specification alone.
//
// Attempts that have to wait are marked as well, so a warning is never given too much.
#include "refine/evidence/vacuity.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace plumb::refine {
namespace {

using model::Code;
using model::Coverage;
using model::Place;

using Position = std::pair<std::uint32_t, std::uint32_t>;
Position position(Place place) { return {place.line, place.column}; }

class Vacuity {
 public:
  Vacuity(const model::Program& program, const Coverage& coverage, const model::Quotes& quotes)
      : program_(program), coverage_(coverage), quotes_(quotes) {
    for (const model::Op& op : program.ops) {
      called_.push_back(op.demand ? coverage.code[*op.demand] & Coverage::yes
                                  : coverage.code[op.entry] != 0);
      if (op.demand)
        demands_.insert({program.code[*op.demand].line, program.code[*op.demand].column});
    }
    // The same text may have been compiled several times: its marks are put together.
    for (const model::Statement& s : program.statements)
      statements_[position(s.place)] |= coverage.code[s.first];
    for (std::size_t i = 0; i < program.code.size(); ++i)
      if (const Code code = program.code[i].code;
          code == Code::await || code == Code::compare_and_swap)
        decisions_[{program.code[i].line, program.code[i].column}] |= coverage.code[i];
  }

  std::vector<Warning> run() {
    operations();
    unreached();
    decisions();
    const auto key = [](const Warning& w) { return std::pair(position(w.place), w.kind); };
    std::sort(warnings_.begin(), warnings_.end(),
              [&](const Warning& a, const Warning& b) { return key(a) < key(b); });
    return std::move(warnings_);
  }

 private:
  void operations() {
    for (std::size_t op = 0; op < program_.ops.size(); ++op)
      if (!called_[op] || !coverage_.returned[op])
        warnings_.push_back({called_[op] ? Warning::never_returns : Warning::never_called,
                             program_.ops[op].place, program_.ops[op].name + "()"});
  }

  bool reached(const model::Statement& s) const { return statements_.at(position(s.place)) != 0; }
  bool always_waits(const model::Statement& s) const {
    const auto found = decisions_.find(position(s.place));
    return found != decisions_.end() && !(found->second & Coverage::yes);
  }

  // Only the first statement of what is not reached: where its block was reached, and the statement
  // before it.
  void unreached() {
    std::vector<const model::Statement*> above;  // by depth: the last statement
    std::set<Position> listed;
    std::uint32_t op = 0xffffffffu;
    for (const model::Statement& s : program_.statements) {
      if (s.op != op) above.clear();
      op = s.op;
      const model::Statement* before = above.size() > s.depth ? above[s.depth] : nullptr;
      const model::Statement* around = s.depth > 0 ? above[s.depth - 1] : nullptr;
      above.resize(s.depth);
      above.push_back(&s);
      if (!called_[s.op] || reached(s) || (around && !reached(*around))) continue;
      if (before && (!reached(*before) || always_waits(*before))) continue;
      if (listed.insert(position(s.place)).second)
        warnings_.push_back({Warning::never_reached, s.place, quotes_.at(s.place)});
    }
  }

  void decisions() {
    std::set<Position> listed;
    for (const model::Instruction& i : program_.code) {
      const Place place{i.line, i.column};
      if ((i.code != Code::await && i.code != Code::compare_and_swap) ||
          !listed.insert(position(place)).second)
        continue;
      const std::uint8_t marks = decisions_.at(position(place));
      // A call that clients may not make is one that they never make.
      if (!(marks & Coverage::reached) || demands_.contains(position(place))) continue;
      const bool cas = i.code == Code::compare_and_swap;
      std::string what = quotes_.at(place);
      if (constexpr std::string_view kUntil = "until "; cas && what.starts_with(kUntil))
        what.erase(0, kUntil.size());
      if (!(marks & Coverage::yes))
        warnings_.push_back(
            {cas ? Warning::never_succeeds : Warning::never_passes, place, std::move(what)});
      else if (cas && !(marks & Coverage::no))
        warnings_.push_back({Warning::never_fails, place, std::move(what)});
    }
  }

  const model::Program& program_;
  const Coverage& coverage_;
  const model::Quotes& quotes_;
  std::vector<bool> called_;                     // by operation
  std::set<Position> demands_;                   // where `requires` is decided
  std::map<Position, std::uint8_t> statements_;  // marks
  std::map<Position, std::uint8_t> decisions_;   // marks of CAS and await
  std::vector<Warning> warnings_;
};

}  // namespace

const char* to_string(Warning::Kind kind) {
  switch (kind) {
    case Warning::never_called: return "never called";
    case Warning::never_returns: return "never returns";
    case Warning::never_reached: return "never reached";
    case Warning::never_passes: return "always waits";
    case Warning::never_succeeds: return "always fails";
    case Warning::never_fails: return "never fails";
  }
  return "";
}

std::vector<Warning> vacuity(const model::Program& program, const model::Coverage& coverage,
                             const model::Quotes& quotes) {
  return Vacuity(program, coverage, quotes).run();
}

}  // namespace plumb::refine
