// SPDX-License-Identifier: MIT
// Selects the engine. `auto` first tries the checks that need no search, then the cheapest engine
// whose precondition the data meets. An engine selected by name never falls back to another.
#include <fmt/format.h>

#include <span>

#include "check/monitors/monitors.hpp"
#include "check/problem/engine.hpp"
#include "spec/families.hpp"

namespace plumb {
namespace {

using Decide = Answer (*)(const Problem&, Budget&, const EngineOptions&);

struct Engine {
  const char* name;
  Decide decide;
  Families families = Families();  // that it knows; none: it searches, and needs no family
  const char* when = "";           // what it is chosen for
};

constexpr const char* kApart = "no value is added again while it may be inside";

// In the order in which `auto` asks them: the polynomial ones, then what needs no search at all,
// then searches.
constexpr std::size_t kSearches = 2;  // the last ones
constexpr Engine kAutomatic[] = {
    {"queue", decide_queue, Families(Family::queue), kApart},
    {"stack", decide_stack, Families(Family::stack), kApart},
    {"priority-queue", decide_priority_queue,
     Families(Family::max_priority_queue, Family::min_priority_queue), kApart},
    {"bag", decide_bag, Families(Family::bag), kApart},
    {"set", decide_set, Families(Family::set), "one key of a set"},
    {"counter", decide_counter, Families(Family::counter), "a counter that only goes up"},
    {"soar", decide_soar, kCells, "no two writes overlap"},
    {"zones", decide_zones, kCells, "every value is put once"},
    {"traffic",
     [](const Problem& p, Budget&, const EngineOptions&) { return refute_by_traffic(p); },
     Families(), "the flow of values is not consistent"},
    {"hiding", decide_hiding, kCells, "one cell with few values"},
    {"jit", decide_jit, Families(), "any specification"},
};

constexpr Engine kOthers[] = {
    {"auto", decide_auto},
    {"brute", [](const Problem& p, Budget& b, const EngineOptions&) { return decide_brute(p, b); }},
    {"wgl", decide_wgl},
    {"soar-literal", decide_soar_literal},
    {"clmt", decide_clmt},
    {"clmt-literal", decide_clmt_literal},
};

const Engine* find(const std::string& name) {
  for (const Engine& engine : kOthers)
    if (name == engine.name) return &engine;
  for (const Engine& engine : kAutomatic)
    if (name == engine.name) return &engine;
  return nullptr;
}

Answer decide_by_first(std::span<const Engine> engines, const Problem& problem, Budget& budget,
                       const EngineOptions& options) {
  Answer answer;
  std::vector<std::string> declined;
  for (const Engine& engine : engines) {
    if (!engine.families.empty() && !engine.families.contains(problem.specification->family()))
      continue;
    answer = engine.decide(problem, budget, options);
    if (answer.verdict != Verdict::undecided) answer.why_engine = engine.when;
    if (answer.verdict != Verdict::undecided || budget.stopped() != Budget::Stop::none) break;
    declined.push_back(fmt::format("{} ({})", engine.name, answer.reason));
  }
  answer.declined = std::move(declined);
  return answer;
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

Answer decide_by_search(const Problem& problem, Budget& budget, const EngineOptions& options) {
  Answer answer = decide_hiding(problem, budget, options);
  const bool done = answer.verdict != Verdict::undecided || budget.stopped() != Budget::Stop::none;
  return done ? answer : decide_jit(problem, budget, options);
}

Answer decide_auto(const Problem& problem, Budget& budget, const EngineOptions& options) {
  return decide_by_first(kAutomatic, problem, budget, options);
}

Answer decide_without_search(const Problem& problem, Budget& budget) {
  return decide_by_first(std::span(kAutomatic).first(std::size(kAutomatic) - kSearches), problem,
                         budget, {});
}

std::string describe_stop(const Budget& budget) {
  switch (budget.stopped()) {
    case Budget::Stop::time_limit: return "time-out";
    case Budget::Stop::memory_limit:
      return fmt::format("memory limit of {} MiB", budget.memory_limit() >> 20);
    case Budget::Stop::out_of_memory: return "out of memory";
    case Budget::Stop::interrupted: return "interrupted";
    case Budget::Stop::no_longer_needed: return "another partition is a violation";
    default: break;
  }
  return "search limit";
}

}  // namespace plumb
