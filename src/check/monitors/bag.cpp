// SPDX-License-Identifier: MIT
// Bag: a removal takes any element that is there.
//
// With elements that can be told apart (see collection.hpp) each removal says which element it
// took, and elements do not get in each other's way. So a history is linearizable iff every element
// was added once, before it was taken, and taken once, and no removal that found nothing is
// covered: in each gap of it some element is certainly inside. (If not, let everybody come as late
// and leave as early as possible; then the bag is empty in each gap that no core covers.)
//
// Removals that did not return: of n elements that were added and k removals that were called
// before some gap, at least n - k are inside in it. This many there are, in all gaps at once, if
// the i-th removal to be called takes the i-th element to be added.
//
// O(n) beyond reading the values, if anybody found nothing; else reading them is all.
#include "check/monitors/gaps.hpp"
#include "check/monitors/monitors.hpp"

namespace plumb {
namespace {

class BagRule : public CollectionRule {
 public:
  const char* engine() const override { return "bag"; }
  Family family() const override { return Family::bag; }
  bool first_come_first_served() const override { return true; }

  std::optional<Conflict> find_conflict(const Collection& collection) const override {
    return find_covered_empty(collection);
  }

  std::vector<OperationId> make_order(const Collection& collection) const override {
    const auto n = static_cast<std::uint32_t>(collection.elements.size());
    std::vector<std::uint32_t> all(n), in(n), out(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      const Element& e = collection.elements[i];
      all[i] = i;
      out[i] = e.b + 1;
      in[i] = std::min(e.a, out[i]);
    }
    Gaps covered = cores_of(collection);
    return weave(collection, all, in, out, covered);
  }
};

}  // namespace

Answer decide_bag(const Problem& problem, Budget& budget, const EngineOptions&) {
  return decide_collection(problem, budget, std::make_shared<BagRule>());
}

}  // namespace plumb
