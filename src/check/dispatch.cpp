// SPDX-License-Identifier: MIT
// Which engine decides. `auto` first asks what needs no search, then the cheapest engine whose
// precondition the data meets; an engine that is asked for by name never hands over to another.
#include <fmt/format.h>

#include "engine.hpp"
#include "monitors/monitors.hpp"

namespace plumb {
namespace {

using Decide = Answer (*)(const Problem&, Budget&, const EngineOptions&);

struct Engine {
  const char* name;
  Decide decide;
};

// In the order in which `auto` asks them: the polynomial ones, then what needs no search at all,
// then searches.
constexpr Engine kAutomatic[] = {
    {"queue", decide_queue},
    {"stack", decide_stack},
    {"priority-queue", decide_priority_queue},
    {"bag", decide_bag},
    {"traffic",
     [](const Problem& p, Budget&, const EngineOptions&) { return refute_by_traffic(p); }},
    {"hiding", decide_hiding},
    {"jit", decide_jit},
};

constexpr Engine kOthers[] = {
    {"auto", decide_auto},
    {"brute", [](const Problem& p, Budget& b, const EngineOptions&) { return decide_brute(p, b); }},
    {"wgl", decide_wgl},
};

const Engine* find(const std::string& name) {
  for (const Engine& engine : kOthers)
    if (name == engine.name) return &engine;
  for (const Engine& engine : kAutomatic)
    if (name == engine.name) return &engine;
  return nullptr;
}

}  // namespace

bool is_engine(const std::string& name) { return find(name) != nullptr; }

std::vector<std::string> engine_names() {
  std::vector<std::string> names;
  for (const Engine& engine : kOthers) names.emplace_back(engine.name);
  for (const Engine& engine : kAutomatic) names.emplace_back(engine.name);
  return names;
}

Answer decide(const std::string& engine, const Problem& problem, Budget& budget,
              const EngineOptions& options) {
  return find(engine)->decide(problem, budget, options);
}

Answer decide_auto(const Problem& problem, Budget& budget, const EngineOptions& options) {
  Answer answer;
  for (const Engine& engine : kAutomatic) {
    answer = engine.decide(problem, budget, options);
    if (answer.verdict != Verdict::undecided || budget.stopped() != Budget::Stop::none) break;
  }
  return answer;
}

std::string describe_stop(const Budget& budget) {
  switch (budget.stopped()) {
    case Budget::Stop::timeout: return "time-out";
    case Budget::Stop::memory:
      return fmt::format("memory limit of {} MiB", budget.memory_limit() >> 20);
    case Budget::Stop::interrupted: return "interrupted";
    case Budget::Stop::no_longer_needed: return "another partition is a violation";
    case Budget::Stop::none: break;
  }
  return "search limit";
}

}  // namespace plumb
