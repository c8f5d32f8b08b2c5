// SPDX-License-Identifier: MIT
// Classes whose methods are lists of atomic steps on shared variables, and a runner that tries all
// their interleavings: Line-Up without threads.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lineup/check.hpp"

namespace plumb::lineup {

using Shared = std::vector<int>;
struct Local {
  int thread = 0;
  int x = 0;
};

// A step goes on to the next one, goes to another, has to wait, or returns.
struct Step {
  enum class What { next, go_to, blocks, returns };
  What what = What::next;
  int to = 0;
  std::string result = {};
};
inline Step next() { return {}; }
inline Step go_to(int step) { return {Step::What::go_to, step}; }
inline Step blocks() { return {Step::What::blocks}; }
inline Step returns(std::string result = "") { return {Step::What::returns, 0, std::move(result)}; }

struct SimulatedMethod {
  std::string name;
  std::string text;
  std::vector<std::function<Step(Shared&, Local&)>> steps;
};

class Simulated final : public Runner {
 public:
  Simulated(std::string name, Shared initial, std::vector<SimulatedMethod> methods);

  const Object& object() const { return object_; }
  Object& object() { return object_; }  // so that less can be asked of its methods
  const std::vector<SimulatedMethod>& methods() const { return methods_; }
  const Shared& initial() const { return initial_; }
  const Results& results() const override { return results_; }
  Results& results() { return results_; }
  Matrix test(const std::string& text) const;

  RunResult serial(const Matrix& test, const OnHistory& on_history) override;
  bool read_thread_id() const override { return asks_who; }
  bool asks_who = false;
  // preemptions -1: any number.
  RunResult concurrent(const Matrix& test, int preemptions, const OnHistory& on_history) override;

 private:
  struct State;
  State beginning(const Matrix& test) const;
  bool step(State& state, std::size_t number);
  void explore_left_out(const State& state, std::size_t number, const OnHistory& on_history,
                        RunResult& ran);
  void explore_serially(const State& state, const OnHistory& on_history, RunResult& ran);
  void explore(const State& state, const OnHistory& on_history, RunResult& ran);

  Shared initial_;
  std::vector<SimulatedMethod> methods_;
  Object object_;
  Results results_;
};

}  // namespace plumb::lineup
