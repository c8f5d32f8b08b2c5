// SPDX-License-Identifier: MIT
#include "lineup/observe.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace plumb::lineup {
namespace {

// All pairs of calls are run.
constexpr std::size_t kMostCalls = 24;
constexpr std::size_t kMostLooks = 8;

// The result of the last call of a sequence; nothing: it waits forever.
class LastResults {
 public:
  explicit LastResults(Runner& runner) : runner_(runner) {}

  std::optional<ResultId> of(const Column& sequence) {
    const auto known = known_.find(sequence);
    if (known != known_.end()) return known->second;
    std::optional<ResultId> last;
    if (!has_failed_) {
      const RunResult ran = runner_.serial({sequence, {}, {}}, [&](const ObservedHistory& history) {
        const bool is_whole = !history.stuck && !history.events.empty();
        last = is_whole ? std::optional(history.events.back().result) : std::nullopt;
        return true;
      });
      has_failed_ = ran.end != RunResult::End::complete;
    }
    return known_[sequence] = last;
  }
  bool has_failed() const { return has_failed_; }

 private:
  Runner& runner_;
  std::map<Column, std::optional<ResultId>> known_;
  bool has_failed_ = false;
};

class Finder {
 public:
  Finder(Runner& runner, const Object& object, const Column& calls)
      : object_(object), calls_(calls), last_(runner) {}

  void find(Column& looks, Column& removals) {
    for (const int x : calls_) {
      const Column seen = observed_by(x);
      if (seen.empty()) continue;
      const int y = seen.front();
      const auto once = last_.of({y, x}), again = last_.of({y, x, x});
      if (again == last_.of({x})) removals.push_back(x);
      else if (once == again && changes_nothing(x)) looks.push_back(x);
    }
  }

  // Calls whose effect it sees.
  Column observed_by(int x) {
    Column seen;
    for (const int y : calls_) {
      const auto after = y == x ? std::nullopt : last_.of({y, x});
      if (after && after != last_.of({x})) seen.push_back(y);
    }
    return seen;
  }

  bool blocks(int x) { return !last_.of({x}); }
  bool has_arguments(int x) const {
    return !argument_text(object_.invocations[static_cast<std::size_t>(x)]).empty();
  }
  bool has_failed() const { return last_.has_failed(); }

 private:
  bool changes_nothing(int x) {
    return std::ranges::all_of(calls_, [&](int z) { return last_.of({x, z}) == last_.of({z}); });
  }

  const Object& object_;
  const Column& calls_;
  LastResults last_;
};

}  // namespace

Observers Observers::find(Runner& runner, const Object& object, const Column& calls) {
  Observers observers;
  if (calls.size() > kMostCalls) return observers;
  Finder finder(runner, object, calls);
  Column looks, removals;
  finder.find(looks, removals);
  if (looks.size() > kMostLooks) looks.resize(kMostLooks);
  observers.looks_ = std::move(looks);
  // What is seen already, by calls that only look.
  std::vector<bool> is_seen(object.invocations.size(), false);
  for (const int look : observers.looks_)
    for (const int y : finder.observed_by(look)) is_seen[static_cast<std::size_t>(y)] = true;
  // A removal that waits where there is nothing ends the test: others come first, and one that
  // takes whatever is there shows the order of what is inside, which looking may not.
  std::ranges::stable_sort(
      removals, {}, [&](int x) { return std::pair(finder.blocks(x), finder.has_arguments(x)); });
  bool has_drain = false;
  for (const int x : removals) {
    const Column adds = finder.observed_by(x);
    const bool drains = !finder.has_arguments(x) && !has_drain;
    const bool shows_more =
        std::ranges::any_of(adds, [&](int y) { return !is_seen[static_cast<std::size_t>(y)]; });
    if (!drains && !shows_more) continue;
    has_drain |= drains;
    Removal removal{x, std::vector<bool>(object.invocations.size(), false), finder.blocks(x)};
    for (const int y : adds) {
      removal.adds[static_cast<std::size_t>(y)] = true;
      is_seen[static_cast<std::size_t>(y)] = true;
    }
    observers.removals_.push_back(std::move(removal));
  }
  for (const int x : calls)
    if (!finder.blocks(x)) observers.first_.push_back(x);
  return finder.has_failed() ? Observers() : observers;
}

void Observers::leave_out(const std::function<bool(int call)>& is_out) {
  std::erase_if(looks_, is_out);
  std::erase_if(first_, is_out);
  std::erase_if(removals_, [&](const Removal& removal) { return is_out(removal.call); });
}

Column Observers::calls() const {
  Column all = looks_;
  for (const Removal& removal : removals_) all.push_back(removal.call);
  return all;
}

Column Observers::after(const Matrix& test) const {
  Column calls = looks_;
  for (const Removal& removal : removals_) {
    int times = 0;
    for (const Cell& cell : cells(test)) {
      if (removal.adds[static_cast<std::size_t>(cell.invocation)]) ++times;
      if (removal.blocks && cell.invocation == removal.call) --times;
    }
    for (; times > 0; --times) calls.push_back(removal.call);
  }
  return calls;
}

}  // namespace plumb::lineup
