// SPDX-License-Identifier: MIT
// The independent verifier of relaxations by permutation: Definition 4, clause by clause, with what
// permuting.hpp says of each relaxation.
#include <fmt/format.h>

#include <map>

#include "check/property/quasi/permuting.hpp"

namespace plumb::quasi {

std::vector<std::uint32_t> places(const Problem& problem, Relaxation relaxation,
                                  const Factors& factors, const std::vector<OperationId>& order) {
  std::map<std::uint32_t, std::uint32_t> counts;  // by set; under `all` there is but one
  std::vector<std::uint32_t> all;
  for (const OperationId op : order) {
    const MethodId method = problem.labels[problem.ops[op].label].method;
    all.push_back(counts[relaxation == Relaxation::all ? 0 : factors.set_of[method]]++);
  }
  return all;
}

std::string verify_permuted(const Problem& problem, Relaxation relaxation, const Factors& factors,
                            const std::vector<OperationId>& sequentialization,
                            const std::vector<OperationId>& permuted) {
  if (auto wrong = verify_sequentialization(problem, sequentialization); !wrong.empty())
    return wrong;
  if (sequentialization.size() != permuted.size())
    return fmt::format("{} operations, permuted {}", sequentialization.size(), permuted.size());
  const auto place = places(problem, relaxation, factors, sequentialization);
  const auto place_permuted = places(problem, relaxation, factors, permuted);
  const auto method = [&](OperationId op) { return problem.labels[problem.ops[op].label].method; };
  std::map<OperationId, std::size_t> at;
  for (std::size_t i = 0; i < sequentialization.size(); ++i) at[sequentialization[i]] = i;
  for (std::size_t i = 0; i < permuted.size(); ++i) {
    const OperationId op = permuted[i];
    const auto found = at.find(op);
    if (found == at.end()) return fmt::format("operation {} is in one order only, or twice", op);
    const std::int64_t distance =
        std::int64_t{place[found->second]} - std::int64_t{place_permuted[i]};
    if (std::abs(distance) > factors.of(method(op)))
      return fmt::format("operation {} was moved by {} places", op, std::abs(distance));
    if (relaxation == Relaxation::slot &&
        factors.set_of[method(op)] != factors.set_of[method(sequentialization[i])])
      return fmt::format("operation {} took a place of another set", op);
    at.erase(found);
  }
  const auto replay = problem.specification->replay(problem.initial);
  for (const OperationId op : permuted)
    if (!replay->apply(problem.labels[problem.ops[op].label]))
      return fmt::format("operation {} is not allowed in state {}", op, replay->print());
  return {};
}

}  // namespace plumb::quasi
