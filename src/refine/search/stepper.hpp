// SPDX-License-Identifier: MIT
// Plain steps on packed states: by native code where there is some, else by the interpreter.
#pragma once

#include <cstdint>
#include <vector>

#include "model/code/machine.hpp"
#include "model/native/native.hpp"

namespace plumb::refine {

/// One plain step; what it leads to is in Steps::words.
struct Step {
  model::StepKind kind = model::StepKind::inside;
  bool fault = false;  // then the state means nothing
  std::uint32_t process = 0;
  model::CallNumber call = 0;  // call
  model::Cell result = 0;      // give_back
  std::uint32_t marks = 0;     // how often it passed `linearize`
};

/// A list of steps, with a packed state for each.
struct Steps {
  std::vector<Step> list;
  std::vector<std::uint64_t> states;
  std::size_t width = 0;  // words of a state

  void clear() {
    list.clear();
    states.clear();
  }
  const std::uint64_t* words(std::size_t i) const { return states.data() + i * width; }
};

/// Not thread-safe: it has scratch memory.
class Stepper {
 public:
  explicit Stepper(const model::Program& program);

  /// Adds every plain step of a process, always in the same order: that of Machine::successors.
  /// Requires: `words` is not in `out`.
  void add_steps(const std::uint64_t* words, std::uint32_t process, Steps& out);
  /// The same, one at a time: visit(step, words), which may change the words. Requires: visit does
  /// not use the stepper.
  template <class Visit>
  void each_step(const std::uint64_t* words, std::uint32_t process, Visit visit) {
    const std::uint32_t count = native_steps(words, process);
    for (std::uint32_t i = 0; count != native::kAsk && i < count; ++i)
      visit(step_of(native_steps_[i], process), native_states_.data() + i * program_.layout.words);
    if (count != native::kAsk) return;
    interpreted_.clear();
    interpret(words, process, interpreted_);
    for (std::size_t i = 0; i < interpreted_.list.size(); ++i)
      visit(interpreted_.list[i], interpreted_.states.data() + i * interpreted_.width);
  }

  const model::Point& point(const std::uint64_t* words, std::uint32_t process) const {
    const model::Field& f = program_.layout.fields[program_.block_of(process)];
    return program_.points[words[f.word] >> f.shift & f.mask];
  }
  /// As Machine::watch.
  void watch(model::Footprint* footprint) {
    footprint_ = footprint;
    machine_.watch(footprint);
  }
  model::Coverage& coverage() { return machine_.coverage(); }
  /// As Machine::cuts.
  std::uint64_t cuts() const { return machine_.cuts(); }
  /// From now on. Requires: it is that of the program; null: none.
  void use(native::StepsFunction native) { native_ = native; }

 private:
  /// How many there are in native_steps_, or kAsk.
  std::uint32_t native_steps(const std::uint64_t* words, std::uint32_t process) {
    if (!native_) return native::kAsk;
    return native_(words, process, native_steps_.data(), native_states_.data(),
                   footprint_ ? footprint_->reads.data() : nullptr,
                   footprint_ ? footprint_->writes.data() : nullptr, coverage().code.data(),
                   coverage().returned.data());
  }
  static Step step_of(const native::Step& step, std::uint32_t process) {
    return {static_cast<model::StepKind>(step.kind),
            false,
            process,
            step.call,
            step.result,
            step.marks};
  }
  void interpret(const std::uint64_t* words, std::uint32_t process, Steps& out);

  const model::Program& program_;
  model::Machine machine_;
  model::Footprint* footprint_ = nullptr;
  native::StepsFunction native_ = nullptr;
  std::vector<native::Step> native_steps_;
  std::vector<std::uint64_t> native_states_;
  Steps interpreted_;
  std::vector<std::uint64_t> unpacked_;  // the state in cells_
  std::vector<model::Cell> cells_;
};

}  // namespace plumb::refine
