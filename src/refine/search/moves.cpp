// SPDX-License-Identifier: MIT
#include "refine/search/moves.hpp"

namespace plumb::refine {

using model::Point;
using model::StepKind;

Moves::Moves(const model::Program& program, const Reductions& reductions, Monitor* monitor,
             bool with_paths)
    : program_(program), monitor_(monitor), eager_returns_(reductions.eager_returns && monitor),
      late_calls_(reductions.late_calls && monitor), with_paths_(with_paths), stepper_(program) {
  first_.width = second_.width = program.layout.words;
}

void Moves::expand(const std::uint64_t* words, SetId set, MoveList& out) {
  out.clear();
  if (const std::uint32_t p = returning(words); p != kNoProcess) add_moves(words, set, p, out);
  else
    for (std::uint32_t p = 0; p < program_.processes(); ++p) add_moves(words, set, p, out);
  out.stuck = out.list.empty();
}

std::uint32_t Moves::returning(const std::uint64_t* words) const {
  if (eager_returns_)
    for (std::uint32_t p = 0; p < program_.processes(); ++p)
      if (stepper_.point(words, p).kind == Point::returning) return p;
  return kNoProcess;
}

void Moves::add_moves(const std::uint64_t* words, SetId set, std::uint32_t process, MoveList& out) {
  first_.clear();
  stepper_.add_steps(words, process, first_);
  for (std::size_t i = 0; i < first_.list.size(); ++i) {
    const Step& step = first_.list[i];
    const std::uint64_t* to = first_.words(i);
    const SetId next = after(step, set);
    const Move move{next, false, step.kind != StepKind::inside || next != set};
    const Ordinals ordinals = Ordinals().then(i);
    if (!late_calls_ || step.fault || step.kind != StepKind::call || takes_effect(step, set) ||
        stepper_.point(to, process).kind != Point::inside) {
      add(step, to, move, ordinals, out);
    } else {
      second_.clear();
      stepper_.add_steps(to, process, second_);
      if (second_.list.empty()) add(step, to, move, ordinals, out);
      for (std::size_t j = 0; j < second_.list.size(); ++j)
        add(second_.list[j], second_.words(j), {after(second_.list[j], move.set), false, true},
            ordinals.then(j), out);
    }
  }
}

// A call that passes a mark is more than a call: it matters when it comes.
bool Moves::takes_effect(const Step& call, SetId set) {
  if (call.marks == 0) return false;
  const SetId called = monitor_->called(set, call.process, call.call);
  return monitor_->took_effect(called, call.process) != called;
}

SetId Moves::after(const Step& step, SetId set) {
  if (!monitor_) return set;
  if (step.kind == StepKind::give_back) return monitor_->returned(set, step.process, step.result);
  if (step.kind == StepKind::call) set = monitor_->called(set, step.process, step.call);
  for (std::uint32_t i = 0; i < step.marks && set != Monitor::kEmpty; ++i)
    set = monitor_->took_effect(set, step.process);
  return set;
}

void Moves::add(const Step& step, const std::uint64_t* words, Move move, const Ordinals& ordinals,
                MoveList& out) {
  move.fault = step.fault;
  if (!step.fault && eager_returns_ && stepper_.point(words, step.process).kind == Point::returning)
    move.visible = true;
  if (with_paths_) {
    move.first_step = static_cast<std::uint32_t>(out.steps.size());
    for (std::uint32_t i = 0; i < ordinals.count; ++i)
      out.steps.push_back({step.process, ordinals.at[i]});
    move.last_step = static_cast<std::uint32_t>(out.steps.size());
  }
  out.list.push_back(move);
  out.states.insert(out.states.end(), words, words + out.width);
}

}  // namespace plumb::refine
