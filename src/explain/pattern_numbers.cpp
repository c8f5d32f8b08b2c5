// SPDX-License-Identifier: MIT
// Numbers (counter, mutex, semaphore): what had returned and what had been called bound the value.
#include <fmt/format.h>

#include "base/text.hpp"
#include "explain/pattern_finder.hpp"

namespace plumb::report {
namespace {

constexpr std::int64_t kFar = 1'000'000'000;  // sums of these do not overflow

class NumberPatterns : PatternFinder {
 public:
  using PatternFinder::PatternFinder;

  Pattern find() const { return family_ == Family::counter ? miscounted() : too_many_holders(); }

 private:
  // ---- Counters -------------------------------------------------------------------------------

  // By how much the operation changes a counter if it takes effect; empty: not known.
  std::optional<std::int64_t> change(OperationId op) const {
    if (role(op) == Role::reads) return 0;
    if (role(op) != Role::increments && role(op) != Role::decrements) return std::nullopt;
    const auto args = story_.bound(op).args;
    const std::int64_t by = args.empty() ? 1 : args[0].as_integer();
    if (by < -kFar || by > kFar) return std::nullopt;
    return role(op) == Role::increments ? by : -by;
  }

  // The count that the operation saw.
  std::optional<std::int64_t> saw(OperationId op) const {
    const BoundLabel label = story_.bound(op);
    if (!label.known || !label.result.is_integer()) return std::nullopt;
    return label.result.as_integer();
  }

  std::optional<std::int64_t> initial_count() const {
    const auto space = story_.specification().states(story_.initial());
    const MethodId reads = *story_.specification().find(Role::reads);
    const std::vector<Value> seen = space->results(space->initial(), {reads, {}});
    const bool known = seen.size() == 1 && seen[0].is_integer();
    if (!known || seen[0].as_integer() < -kFar * kFar || seen[0].as_integer() > kFar * kFar)
      return std::nullopt;
    return seen[0].as_integer();
  }

  // What is known of the count when the culprit took effect.
  struct Bounds {
    std::int64_t low, high;
    std::uint64_t returned = 0, called = 0;  // operations that change it
    bool only_increments, never_down = true;
  };
  std::optional<Bounds> bounds() const {
    const auto start = initial_count();
    if (!start) return std::nullopt;
    Bounds b{.low = *start, .high = *start, .only_increments = *start == 0};
    for (const OperationId op : story_.concerned()) {
      const auto by = change(op);
      if (!by) return std::nullopt;
      b.never_down = b.never_down && *by >= 0;
      if (op == culprit_ || *by == 0) continue;
      b.only_increments = b.only_increments && *by == 1;
      const bool certain = story_.returned_before(op, culprit_);
      b.low += certain ? *by : std::min<std::int64_t>(*by, 0);
      b.high += certain ? *by : std::max<std::int64_t>(*by, 0);
      b.returned += certain;
      ++b.called;
    }
    return b;
  }

  Pattern miscounted() const {
    const auto seen = saw(culprit_);
    const auto b = seen ? bounds() : std::nullopt;
    if (!b) return {};
    if (b->never_down && *change(culprit_) > 0)
      for (const OperationId op : story_.shown_concerned())
        if (op != culprit_ && story_.completed(op) && saw(op) == seen && *change(op) > 0)
          return {fmt::format("{} and {} both returned {} although each of them adds to the count.",
                              story_.name(op), story_.name(culprit_), *seen),
                  {op}};
    if (*seen >= b->low && *seen <= b->high) return {};
    if (b->only_increments && *seen < b->low)
      return {fmt::format("{} although {} had returned before it was called.",
                          story_.returned(culprit_), text::count_words(b->returned, "increment")),
              story_.operations()};
    if (b->only_increments)
      return {fmt::format("{} although only {} had been called before it returned.",
                          story_.returned(culprit_), text::count_words(b->called, "increment")),
              story_.operations()};
    return {fmt::format("{}, but what had been counted by then allows only {}.",
                        story_.returned(culprit_),
                        b->low == b->high ? fmt::format("{}", b->low)
                                          : fmt::format("{} to {}", b->low, b->high)),
            story_.operations()};
  }

  // ---- Mutexes and semaphores -----------------------------------------------------------------

  bool is_mutex() const { return family_ == Family::mutex; }
  // If it returned. A try whose result is not known may have failed.
  bool acquires(OperationId op) const {
    const BoundLabel label = story_.bound(op);
    return role(op) == Role::acquires && (story_.method(op).returns_nothing ||
                                          (label.known && label.result == Value::boolean(true)));
  }
  bool releases(OperationId op) const { return role(op) == Role::releases; }

  // What the file calls a release; if it has none, the name that goes with that of the culprit:
  // the first one of the one method with the first one of the other, and so on.
  std::string release_word() const {
    for (const OperationId op : story_.concerned())
      if (releases(op)) return std::string(story_.history().call_of(op).method);
    const Specification& specification = story_.specification();
    const auto id = specification.find(Role::releases);
    if (!id) return "release";
    const Method &release = specification.methods()[*id], &acquire = story_.method(culprit_);
    const auto& names = acquire.aliases;
    const auto at =
        std::find(names.begin(), names.end(), story_.history().call_of(culprit_).method);
    const auto place = static_cast<std::size_t>(at - names.begin());
    return place < names.size() && place < release.aliases.size() ? release.aliases[place]
                                                                  : release.name;
  }

  // How many permits there are at first; `most`, if there are more.
  std::int64_t permits_at_first(std::int64_t most) const {
    const auto space = story_.specification().states(story_.initial());
    const Value granted =
        story_.method(culprit_).returns_nothing ? Value::nil() : Value::boolean(true);
    const BoundLabel acquire{story_.bound(culprit_).method, {}, granted, true};
    std::vector<StateId> to = {space->initial()};
    for (std::int64_t n = 0; n < most; ++n) {
      const StateId from = to.front();
      to.clear();
      space->step(from, acquire, to);
      if (to.empty()) return n;
    }
    return most;
  }

  Pattern two_holders() const {
    for (const OperationId other : story_.shown_concerned()) {
      if (other == culprit_ || !acquires(other) || !story_.completed(other)) continue;
      const auto earlier = [&](OperationId op) {
        return !releases(op) ||
               (story_.returned_before(op, other) && story_.returned_before(op, culprit_));
      };
      if (std::all_of(story_.concerned().begin(), story_.concerned().end(), earlier))
        return {
            fmt::format("{} and {} have both returned, but {} was not called since the first of "
                        "them was called.",
                        story_.name(other), story_.name(culprit_), release_word()),
            {other}};
    }
    return {};
  }

  Pattern too_many_holders() const {
    if (!acquires(culprit_)) return {};
    std::int64_t acquired = 0, released = 0;
    for (const OperationId op : story_.concerned()) {
      if (role(op) == Role::none && !story_.specification().pure(story_.bound(op))) return {};
      acquired += acquires(op) && story_.completed(op);
      released += releases(op);
    }
    if (is_mutex())
      if (Pattern found = two_holders(); !found.sentence.empty()) return found;
    const std::int64_t permits = permits_at_first(acquired - released);
    if (acquired - released <= permits) return {};
    if (released == 0 && permits == 0)
      return {fmt::format("{} has returned, but {} had not been called, and {}.",
                          story_.name(culprit_), release_word(),
                          is_mutex() ? "the mutex was held from the start"
                                     : "there was no permit at the start"),
              {}};
    return {
        fmt::format(
            "{} had been granted when {} returned, but {} at the start and {} of {} allow only "
            "{}.",
            text::count_words(static_cast<std::uint64_t>(acquired), "permit"),
            story_.name(culprit_), text::count_words(static_cast<std::uint64_t>(permits), "permit"),
            text::count_words(static_cast<std::uint64_t>(released), "call"), release_word(),
            permits + released),
        story_.operations()};
  }
};

}  // namespace

Pattern find_in_numbers(const Story& story) { return NumberPatterns(story).find(); }

}  // namespace plumb::report
