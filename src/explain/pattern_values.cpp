// SPDX-License-Identifier: MIT
// Values of any object, by its Traffic: observed but never added; removed more often than added.
#include <fmt/format.h>

#include "explain/pattern_finder.hpp"
#include "spec/families.hpp"

namespace plumb::report {
namespace {

class ValuePatterns : PatternFinder {
 public:
  using PatternFinder::PatternFinder;

  Pattern find() const {
    Pattern found = never_added();
    return found.sentence.empty() ? removed_too_often() : found;
  }

 private:
  const Traffic& traffic(OperationId op) const {
    return by_label(traffics_, op, [this](OperationId o) {
      return story_.specification().traffic(story_.bound(o));
    });
  }
  std::string_view added() const {
    return kCells.contains(family_) || family_ == Family::multi_register ? "wrote" : "added";
  }

  Pattern never_added() const {
    if (story_.counterexample().excerpt) return {};
    const auto observed = traffic(culprit_).observes;
    if (!observed || initial_copies(*observed) != std::size_t{0}) return {};
    for (const OperationId op : story_.concerned())
      if (op != culprit_ && traffic(op).adds == observed) return {};
    const History& h = story_.history();
    const auto keys = story_.specification().keys(story_.bound(culprit_));
    for (OperationId op = 0; op < h.size(); ++op) {
      if (h.object[op] != h.object[culprit_] || h.call[op] < h.ret[culprit_]) continue;
      const BoundLabel label = story_.bound(op);
      if (story_.specification().traffic(label).adds != observed ||
          story_.specification().keys(label) != keys)
        continue;
      return {fmt::format("{} before {} was called: no operation had {} {} yet.",
                          story_.returned(culprit_), story_.name(op),
                          added() == "wrote" ? "written" : added(), value(*observed)),
              {op}};
    }
    return {fmt::format("{} although no operation ever {} {}.", story_.returned(culprit_), added(),
                        value(*observed)),
            {}};
  }

  Pattern removed_too_often() const {
    if (story_.counterexample().excerpt) return {};
    const Traffic own = traffic(culprit_);
    if (!own.observes || !own.removes) return {};
    const auto initially = initial_copies(*own.observes);
    if (!initially) return {};
    std::vector<OperationId> adders, takers;
    for (const OperationId op : story_.concerned()) {
      const Traffic& t = traffic(op);
      if (t.adds == own.observes) adders.push_back(op);
      if (t.removes && t.observes == own.observes && story_.completed(op)) takers.push_back(op);
    }
    if (takers.size() <= adders.size() + *initially) return {};
    const std::string v = value(*own.observes);
    if (takers.size() == 2 && adders.size() == 1 && *initially == 0)
      return {fmt::format("{} was added only once, by {}, but removed twice, by {} and by {}.", v,
                          story_.name(adders[0]), story_.name(takers[0]), story_.name(takers[1])),
              {adders[0], takers[0], takers[1]}};
    return {
        fmt::format("{} was removed {} times, but only {} of it {} ever inside.", v, takers.size(),
                    adders.size() + *initially, adders.size() + *initially == 1 ? "was" : "were"),
        story_.operations()};
  }

  mutable std::vector<std::optional<Traffic>> traffics_;
};

}  // namespace

Pattern find_in_values(const Story& story) { return ValuePatterns(story).find(); }

}  // namespace plumb::report
