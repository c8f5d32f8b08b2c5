// SPDX-License-Identifier: MIT
// A state is unpacked once for all processes, and what a step changes is packed as a difference: a
// field that grows by d makes its word grow by d, shifted to its place.
#include "refine/search/stepper.hpp"

#include <algorithm>

namespace plumb::refine {

Stepper::Stepper(const model::Program& program)
    : program_(program), machine_(program), native_steps_(native::kRoom),
      native_states_(native::kRoom * program.layout.words), cells_(machine_.initial()) {
  unpacked_.resize(program.layout.words);
  interpreted_.width = program.layout.words;
  machine_.pack(cells_.data(), unpacked_.data());
}

void Stepper::add_steps(const std::uint64_t* words, std::uint32_t process, Steps& out) {
  const std::uint32_t count = native_steps(words, process);
  if (count == native::kAsk) return interpret(words, process, out);
  for (std::uint32_t i = 0; i < count; ++i) out.list.push_back(step_of(native_steps_[i], process));
  out.states.insert(
      out.states.end(), native_states_.begin(),
      native_states_.begin() + static_cast<std::ptrdiff_t>(count) * program_.layout.words);
}

void Stepper::interpret(const std::uint64_t* words, std::uint32_t process, Steps& out) {
  if (!std::equal(unpacked_.begin(), unpacked_.end(), words)) {
    std::copy_n(words, unpacked_.size(), unpacked_.begin());
    machine_.unpack(words, cells_.data());
  }
  const std::vector<model::Field>& fields = program_.layout.fields;
  machine_.successors(cells_.data(), process, [&](const model::Successor& s) {
    out.list.push_back({s.kind, s.fault != nullptr, process, s.call, s.result, s.marks});
    const std::size_t at = out.states.size();
    out.states.insert(out.states.end(), unpacked_.begin(), unpacked_.end());
    if (s.fault) return;
    std::uint64_t* to = out.states.data() + at;
    for (std::size_t i = 0; i < cells_.size(); ++i)
      if (s.state[i] != cells_[i])
        to[fields[i].word] += static_cast<std::uint64_t>(std::int64_t{s.state[i]} - cells_[i])
                              << fields[i].shift;
  });
}

}  // namespace plumb::refine
