// SPDX-License-Identifier: MIT
// What a search may ask of every history of a model. Each question is a monitor of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "model/code/program.hpp"

namespace plumb::refine {

class Monitor;
class Sets;

enum class Criterion : std::uint8_t {
  linearizable,  // monitor.cpp
  points,        // the same, with the designer's linearization points: points.cpp
  regular,       // of a register with one writer: register_monitor.cpp
  safe,
  // Also of a register: every state carries its history, and an engine for histories is asked about
  // that whenever an operation returns: history_monitor.cpp. dummy: nobody is asked.
  soar,
  soar_literal,
  clmt,
  dummy
};

/// As --property and --engine name it.
const char* to_string(Criterion criterion);
std::optional<Criterion> criterion_named(std::string_view name);
/// What a model is asked if nobody asks anything else: its own assertion, or linearizability.
Criterion criterion_of(const model::Program& program);

/// Whether it is asked of registers with one writer only.
inline bool of_registers(Criterion criterion) { return criterion >= Criterion::regular; }
/// Whether states carry their histories.
inline bool records(Criterion criterion) { return criterion >= Criterion::soar; }

/// What one thread needs to answer it. The sets must outlive it.
std::unique_ptr<Monitor> make_monitor(Criterion criterion, Sets& sets);

}  // namespace plumb::refine
