// SPDX-License-Identifier: MIT
#include "refine/moves.hpp"

namespace plumb::refine {

using model::Point;
using model::StepKind;

Moves::Moves(const model::Program& program, const Reductions& reductions, Monitor* monitor,
             bool with_paths)
    : program_(program), monitor_(monitor), eager_returns_(reductions.eager_returns && monitor),
      late_calls_(reductions.late_calls && monitor), with_paths_(with_paths), stepper_(program) {
  first_.width = second_.width = return_.width = program.layout.words;
}

void Moves::expand(const std::uint64_t* words, SetId set, MoveList& out) {
  out.clear();
  for (std::uint32_t p = 0; p < program_.processes(); ++p) add_moves(words, set, p, out);
  out.stuck = out.list.empty();
}

void Moves::add_moves(const std::uint64_t* words, SetId set, std::uint32_t process,
                      MoveList& out) {
  first_.clear();
  stepper_.add_steps(words, process, first_);
  for (std::size_t i = 0; i < first_.list.size(); ++i) {
    const Step& step = first_.list[i];
    const std::uint64_t* to = first_.words(i);
    const Move move{after(step, set), step.fault, step.kind != StepKind::inside};
    const Ordinals ordinals = Ordinals().then(i);
    if (!late_calls_ || step.fault || step.kind != StepKind::call ||
        stepper_.point(to, process).kind != Point::inside) {
      finish(step, to, move, ordinals, out);
    } else {
      second_.clear();
      stepper_.add_steps(to, process, second_);
      if (second_.list.empty()) add(to, move, process, ordinals, out);
      for (std::size_t j = 0; j < second_.list.size(); ++j)
        finish(second_.list[j], second_.words(j), move, ordinals.then(j), out);
    }
  }
}

// Returns at once if that is what comes next.
void Moves::finish(const Step& step, const std::uint64_t* words, Move move,
                   const Ordinals& ordinals, MoveList& out) {
  move.fault = step.fault;
  if (!eager_returns_ || step.fault || stepper_.point(words, step.process).kind != Point::returning)
    return add(words, move, step.process, ordinals, out);
  return_.clear();
  stepper_.add_steps(words, step.process, return_);
  move.set = after(return_.list[0], move.set);
  move.visible = true;
  add(return_.words(0), move, step.process, ordinals.then(0), out);
}

SetId Moves::after(const Step& step, SetId set) {
  if (monitor_ && step.kind == StepKind::call) return monitor_->called(set, step.process, step.call);
  if (monitor_ && step.kind == StepKind::give_back)
    return monitor_->returned(set, step.process, step.result);
  return set;
}

void Moves::add(const std::uint64_t* words, Move move, std::uint32_t process,
                const Ordinals& ordinals, MoveList& out) {
  if (with_paths_) {
    move.first_step = static_cast<std::uint32_t>(out.steps.size());
    for (std::uint32_t i = 0; i < ordinals.count; ++i)
      out.steps.push_back({process, ordinals.at[i]});
    move.last_step = static_cast<std::uint32_t>(out.steps.size());
  }
  out.list.push_back(move);
  out.states.insert(out.states.end(), words, words + out.width);
}

}  // namespace plumb::refine
