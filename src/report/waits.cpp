// SPDX-License-Identifier: MIT
#include "report/waits.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"

namespace plumb::report {
namespace {

class Waits {
 public:
  explicit Waits(const Interleaving& stuck) : stuck_(stuck) {}

  std::string words() const {
    std::string text;
    for (const Wait* const wait : ordered()) {
      const std::string one = words(*wait);
      text += (text.empty() || one.empty() ? "" : "; ") + one;
    }
    return text;
  }

  /// The threads of a cycle to which the waiting of this one leads, in its order.
  std::vector<int> cycle_from(int thread) const {
    std::vector<int> path;
    std::set<int> left;  // no cycle goes through them
    return follow(thread, path, left);
  }

 private:
  const Wait* of(int thread) const {
    const auto found = std::ranges::find(stuck_.waits, thread, &Wait::thread);
    return found == stuck_.waits.end() ? nullptr : &*found;
  }

  std::vector<int> follow(int thread, std::vector<int>& path, std::set<int>& left) const {
    if (const auto at = std::ranges::find(path, thread); at != path.end()) return {at, path.end()};
    const Wait* const wait = of(thread);
    if (wait == nullptr || left.contains(thread)) return {};
    path.push_back(thread);
    std::vector<int> next = wait->held_by;
    if (wait->ends >= 0) next.push_back(wait->ends);
    for (const int other : next)
      if (std::vector<int> cycle = follow(other, path, left); !cycle.empty()) return cycle;
    path.pop_back();
    left.insert(thread);
    return {};
  }

  // Those of a cycle first.
  std::vector<const Wait*> ordered() const {
    std::vector<const Wait*> all;
    for (const Wait& wait : stuck_.waits) {
      for (const int thread : cycle_from(wait.thread)) all.push_back(of(thread));
      if (!all.empty()) break;
    }
    std::rotate(all.begin(), std::ranges::min_element(all, {}, &Wait::thread), all.end());
    for (const Wait& wait : stuck_.waits)
      if (std::ranges::find(all, &wait) == all.end()) all.push_back(&wait);
    return all;
  }

  std::string name(int thread) const { return stuck_.thread_name(thread); }

  // Whether that is what this thread waits for as well: "a_, which it holds itself".
  static bool is_own(const Wait& wait, const Wait& own) {
    return !wait.held_shared && wait.kind == own.kind && wait.what == own.what &&
           wait.held_by == own.held_by;
  }

  // "holds a_ and b_ shared", "initialises table"; of what others wait for.
  std::string held_words(int thread) const {
    std::vector<std::string> held, begun;
    for (const Wait& wait : stuck_.waits) {
      if (is_own(wait, *of(thread))) continue;
      if (std::ranges::find(wait.held_by, thread) == wait.held_by.end()) continue;
      std::vector<std::string>& list = wait.kind == WaitsFor::initialisation ? begun : held;
      const std::string what = wait.what + (wait.held_shared ? " shared" : "");
      if (std::ranges::find(list, what) == list.end()) list.push_back(what);
    }
    if (held.empty() && begun.empty()) return {};
    const std::string first = held.empty() ? "" : "holds " + text::list_words(held, "and");
    if (begun.empty()) return first;
    return first + (first.empty() ? "" : ", ") + "initialises " + text::list_words(begun, "and");
  }

  // ", which B holds": of those who do not wait themselves, which the reader would not find.
  std::string holders_words(const Wait& wait) const {
    const std::string verb = wait.kind == WaitsFor::initialisation ? "initialises" : "holds";
    std::vector<std::string> live, ended;
    for (const int thread : wait.held_by) {
      if (thread == wait.thread && !wait.held_shared) return ", which it " + verb + " itself";
      if (of(thread) != nullptr) continue;
      const bool is_live = std::ranges::find(stuck_.spinning, thread) != stuck_.spinning.end();
      (is_live ? live : ended).push_back(name(thread));
    }
    const std::string shared = wait.held_shared ? " shared" : "";
    std::string text;
    if (!live.empty())
      text += ", which " + text::list_words(live, "and") + " " +
              (live.size() == 1 ? verb : "hold") + shared;
    if (!ended.empty())
      text += (text.empty() ? ", which " : ", and which ") + text::list_words(ended, "and") +
              " held" + shared + " when " + (ended.size() == 1 ? "it" : "they") + " ended";
    return text;
  }

  std::string waits_words(const Wait& wait) const {
    const std::string what = "waits for " + wait.what;
    const std::string nobody = stuck_.spinning.empty() ? ", and no thread is left to " : "";
    const auto unless_spinning = [&](const char* verb) {
      return nobody.empty() ? what : what + nobody + verb + " it";
    };
    switch (wait.kind) {
      case WaitsFor::lock: {
        const auto& holders = wait.held_by;
        const bool upgrades = std::ranges::find(holders, wait.thread) != holders.end();
        return (wait.held_shared && upgrades ? "waits to hold it alone" : what) +
               holders_words(wait);
      }
      case WaitsFor::shared_lock:
      case WaitsFor::initialisation: return what + holders_words(wait);
      case WaitsFor::notification: return unless_spinning("notify");
      case WaitsFor::waking: return unless_spinning("wake");
      case WaitsFor::post: return unless_spinning("post");
      case WaitsFor::end_of_thread: return "waits for the end of " + wait.what;
      case WaitsFor::nothing_ever: return "waits in plumb::block()";
      case WaitsFor::arrival:
      case WaitsFor::turn:
      case WaitsFor::end_of_threads:
      case WaitsFor::nothing: break;
    }
    return what;
  }

  std::string words(const Wait& wait) const {
    const std::string held = held_words(wait.thread);
    return name(wait.thread) + " " + held + (held.empty() ? "" : " and ") + waits_words(wait);
  }

  const Interleaving& stuck_;
};

}  // namespace

std::string waits_words(const Interleaving& stuck) { return Waits(stuck).words(); }

bool is_deadlock(const Interleaving& stuck, const std::string& thread) {
  const Waits waits(stuck);
  return std::ranges::any_of(stuck.waits, [&](const Wait& wait) {
    const bool is_asked = thread.empty() || stuck.thread_name(wait.thread) == thread;
    return is_asked && !waits.cycle_from(wait.thread).empty();
  });
}

}  // namespace plumb::report
