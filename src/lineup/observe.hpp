// SPDX-License-Identifier: MIT
// What is lost must be seen. A test whose threads lose an element passes if no call asks for it, so
// every test ends with calls that look at what is left: all that only look, and as many removals as
// there were insertions. With them, two operations show what needs four without.
//
// Which calls these are is found out from what the object does serially:
//   * a call x observes a call y if (y, x) gives x another result than (x) alone;
//   * it only looks if, after that, it gives the same result again and changes no result of others;
//   * it removes what y added if, after that, it gives the result that it gave alone.
#pragma once

#include <functional>
#include <vector>

#include "lineup/check.hpp"

namespace plumb::lineup {

class Observers {
 public:
  /// None.
  Observers() = default;
  /// Always these calls.
  explicit Observers(Column always) : looks_(std::move(always)) {}
  /// Runs short sequences of these calls serially. Finds none if one of them ends in a finding or
  /// does not end.
  static Observers find(Runner& runner, const Object& object, const Column& calls);

  /// These calls are not made.
  void leave_out(const std::function<bool(int call)>& is_out);

  bool any() const { return !looks_.empty() || !removals_.empty(); }
  const Column& looks() const { return looks_; }
  /// Each once.
  Column calls() const;
  /// Of the calls that were tried: those that return when they are called first.
  const Column& first() const { return first_; }
  /// The calls with which the test ends.
  Column after(const Matrix& test) const;

 private:
  // Called as often as the test has calls of those whose effect it removes.
  struct Removal {
    int call;
    std::vector<bool> adds;  // by invocation
    bool blocks;             // where there is nothing to be removed
  };

  Column looks_, first_;
  std::vector<Removal> removals_;
};

}  // namespace plumb::lineup
