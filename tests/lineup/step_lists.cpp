// SPDX-License-Identifier: MIT
// step_lists FIRST COUNT: what the definitions say of the classes of these seeds, over all
// interleavings. A line a test: seed, test, serial histories, whether some history has no witness,
// whether some operation waits without a reason, and all histories (-1: real code has more).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "lineup/simulated.hpp"
#include "step_lists.hpp"

namespace plumb::lineup {
namespace {

using agree::Action;
using agree::Do;
using agree::Gives;
using agree::Method;

Step result_of(const Method& method, int x) {
  switch (method.gives) {
    case Gives::number: return returns(std::to_string(x));
    case Gives::nothing: return returns("");
    case Gives::optional: return returns(x == 0 ? "null" : std::to_string(x));
    case Gives::text: return returns("number " + std::to_string(x));
    case Gives::pair: return returns(std::to_string(x / 2) + (x % 2 != 0 ? " true" : " false"));
  }
  return returns("");
}

bool act(const Action& action, Shared& shared, int& x) {
  int& v = shared[static_cast<std::size_t>(action.variable)];
  switch (action.what) {
    case Do::load: x = v; break;
    case Do::sum: x += v; break;
    case Do::store: v = x + action.c; break;
    case Do::add: v += action.c; break;
    case Do::fetch_add:
      x = v;
      v += action.c;
      break;
    case Do::exchange:
      x = v;
      v = action.c;
      break;
    case Do::compare: {
      const bool same = v == x;
      if (same) v = action.c;
      x = same ? 1 : 0;
      break;
    }
    case Do::await: return v != 0;
    case Do::take:
      if (v == 0) return false;
      v = 0;
      x = action.c;
      break;
    default: break;
  }
  return true;
}

// From actions[at] on, what nobody sees; then either the end, or the next action that is seen.
Step go_on(const Method& method, std::size_t at, int x, int step) {
  for (; at < method.actions.size() && !agree::touches(method.actions[at].what); ++at) {
    const Action& action = method.actions[at];
    if (action.what == Do::throws && x % 2 != 0)
      return returns("throws " + std::to_string(action.c));
    if (action.what == Do::returns && x % 2 == 0) return result_of(method, x);
  }
  return at == method.actions.size() ? result_of(method, x) : go_to(step + 1);
}

SimulatedMethod simulated(const Method& method, const std::string& name, int argument,
                          std::size_t lock) {
  SimulatedMethod result{
      name, name + (argument == 0 ? "()" : "(" + std::to_string(argument) + ")"), {}};
  std::vector<std::size_t> seen;
  for (std::size_t i = 0; i < method.actions.size(); ++i) {
    if (agree::touches(method.actions[i].what)) seen.push_back(i);
  }
  const int unlock = static_cast<int>(seen.size()) + 1;
  // Under the lock a method returns by unlocking; how, it remembers.
  static std::vector<std::string> texts;
  const auto leave = [=](Step step, Local& local) {
    if (!method.locks || step.what != Step::What::returns) return step;
    texts.push_back(step.result);
    local.x = static_cast<int>(texts.size()) - 1;
    return go_to(unlock);
  };
  if (method.locks) {
    result.steps.push_back([=](Shared& shared, Local& local) {
      if (shared[lock] != 0) return blocks();
      shared[lock] = 1;
      local.x = argument;
      return leave(go_on(method, 0, local.x, 0), local);
    });
  }
  for (const std::size_t at : seen) {
    const bool first = !method.locks && result.steps.empty();
    const int number = static_cast<int>(result.steps.size());
    result.steps.push_back([=](Shared& shared, Local& local) {
      if (first) {
        local.x = argument;
        const Step early = go_on(method, 0, local.x, -1);
        if (early.what == Step::What::returns) return early;
      }
      if (!act(method.actions[at], shared, local.x)) return blocks();
      return leave(go_on(method, at + 1, local.x, number), local);
    });
  }
  if (method.locks) {
    result.steps.push_back([=](Shared& shared, Local& local) {
      shared[lock] = 0;
      return returns(texts[static_cast<std::size_t>(local.x)]);
    });
  }
  return result;
}

// What matters in a history: calls that follow each other may as well be exchanged, and so may
// returns.
std::vector<std::uint64_t> order_of(const ObservedHistory& history) {
  std::vector<std::uint64_t> key;
  std::size_t run = 0;
  for (std::size_t i = 0; i < history.events.size(); ++i) {
    const ObservedEvent& event = history.events[i];
    if (i > 0 && history.events[i - 1].is_return != event.is_return) run = i;
    key.push_back(static_cast<std::uint64_t>(event.operation) << 33 |
                  (event.is_return ? 1ULL << 32 : 0) | event.result);
    std::sort(key.begin() + static_cast<std::ptrdiff_t>(run), key.end());
  }
  key.push_back(history.stuck ? 1 : 0);
  return key;
}

void print(std::uint64_t seed) {
  const agree::Class type = agree::random_class(seed);
  std::vector<SimulatedMethod> methods;
  bool is_exact = true;
  for (std::size_t i = 0; i < type.methods.size(); ++i) {
    const Method& method = type.methods[i];
    for (const Action& action : method.actions) {
      const agree::Wait wait = type.wait[static_cast<std::size_t>(action.variable)];
      is_exact &= !agree::waits(action.what);
      is_exact &= wait != agree::Wait::condition && wait != agree::Wait::atomic;
    }
    for (int argument = method.has_argument ? 1 : 0; argument <= (method.has_argument ? 2 : 0);
         ++argument)
      methods.push_back(simulated(method, agree::method_name(i), argument, type.initial.size()));
  }
  Shared initial = type.initial;
  initial.push_back(0);  // the lock
  Simulated runner("Subject", initial, methods);
  for (const std::string& text : type.tests) {
    const Matrix test = runner.test(text);
    SerialHistories serial;
    runner.serial(test, [&](const ObservedHistory& history) { return serial.add(history), true; });
    bool unexplained = false, blocked = false;
    std::set<std::vector<std::uint64_t>> histories;
    runner.concurrent(test, -1, [&](const ObservedHistory& history) {
      histories.insert(order_of(history));
      (history.stuck ? blocked : unexplained) |= is_violation(test, history, serial, false);
      return true;
    });
    std::printf("%llu\t%s\t%zu\t%d\t%d\t%d\n", static_cast<unsigned long long>(seed), text.c_str(),
                serial.full().size() + serial.stuck().size(), unexplained ? 1 : 0, blocked ? 1 : 0,
                is_exact ? static_cast<int>(histories.size()) : -1);
  }
}

}  // namespace
}  // namespace plumb::lineup

int main(int argc, char** argv) {
  const std::uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const std::uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20;
  for (std::uint64_t seed = first; seed < first + count; ++seed) plumb::lineup::print(seed);
  return 0;
}
