// SPDX-License-Identifier: MIT
// Specifications: sequential objects, as engines see them.
//
// Whatever door a specification comes through (a name, a user's class, a file, later Line-Up's
// serial histories or a model), it arrives here as one small table: methods with their properties,
// and a space of states that are numbered as they are met. Engines never see the states
// themselves, so they are compiled once, and their hot path is a look-up of (state, label).
// To write one, see plumb/describe.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/export.hpp"
#include "plumb/family.hpp"
#include "plumb/value.hpp"

namespace plumb {

using StateId = std::uint32_t;
using MethodId = std::uint32_t;

/// One label of a history, bound to a specification's method.
struct BoundLabel {
  std::span<const Value> args;
  Value result;
  MethodId method = 0;
  bool known = false;  // false: any result will do (the operation did not return, or said nothing)

  BoundLabel() = default;
  BoundLabel(MethodId m, std::span<const Value> a, Value r = {}, bool k = false)
      : args(a), result(r), method(m), known(k) {}
};

/// What the documentation, the readers and the dispatcher know of a method.
struct Method {
  std::string name;
  std::vector<std::string> aliases;
  Role role = Role::none;          // means something only in a family: Specification::family()
  std::vector<std::string> args;   // their names: "v", "key", ...
  std::size_t optional_args = 0;   // so many of the last ones may be left out
  std::string result;              // for people: "a boolean", "the oldest element"
  std::string nil_word;            // for people: what nil means as a result: "empty"; "": nothing
  bool returns_nothing = false;    // its result is always nil
  bool nil_is_unrecorded = false;  // a nil result says nothing (it cannot be one)
  bool blocks = false;             // in some state it cannot return
  std::string pure;                // for people: "", "always", "if false"
  /// Which arguments are partition keys: operations on different keys do not affect each other.
  /// None: the operation concerns the whole object, which is then not split.
  std::vector<std::size_t> key_args;
  std::string keys;  // for people, where they are not simply arguments: "every k in ops"
};

/// What a label does with the values that pass through an object: enough for the necessary
/// conditions that refute a history without a search (src/check/engines/traffic.cpp).
struct Traffic {
  std::optional<Value> adds;      // after it, this value may be observed
  std::optional<Value> observes;  // it saw this value, so an operation must have added it before
  bool removes = false;           // ... and took that one copy away
};

/// The states that were met so far, numbered from 0. Not thread-safe: one per search.
class PLUMB_API StateSpace {
 public:
  virtual ~StateSpace();
  virtual StateId initial() = 0;
  /// Appends every state that the operation may lead to with that result; none: it is not legal
  /// here (or, if the result is not known, it blocks). No duplicates.
  virtual void step(StateId from, const BoundLabel& label, std::vector<StateId>& to) = 0;
  virtual std::string print(StateId state) const = 0;
  virtual std::size_t size() const = 0;
  virtual std::size_t bytes() const = 0;  // estimate
  /// A space of its own whose initial state is this one.
  virtual std::unique_ptr<StateSpace> fork(StateId state) const = 0;
  /// The results that the operation may have in that state; none: it blocks.
  virtual std::vector<Value> results(StateId from, const BoundLabel& label) = 0;
};

/// Replays operations in place, without numbering states: for the witness verifier.
class PLUMB_API Replay {
 public:
  virtual ~Replay();
  /// Returns: whether the operation is legal here with that result; if not, nothing changes.
  virtual bool apply(const BoundLabel& label) = 0;
  /// Whether the operation cannot return here.
  virtual bool blocked(const BoundLabel& label) = 0;
  virtual std::string print() const = 0;
};

/// A sequential object as engines see it: methods, and states that operations step through.
class PLUMB_API Specification {
 public:
  Specification() = default;
  Specification(const Specification&) = delete;
  Specification& operator=(const Specification&) = delete;
  virtual ~Specification();

  virtual const std::string& name() const = 0;
  virtual std::span<const Method> methods() const = 0;

  /// By name or alias.
  std::optional<MethodId> find(std::string_view method) const;
  /// The first method with that role.
  std::optional<MethodId> find(Role role) const;

  /// The family that it claims and behaves like (plumb/family.hpp); none otherwise. The first call
  /// checks the claim. Thread safety: may be called from several threads at once.
  Family family() const;
  /// Why a claim is not believed: "after push(1) and push(2), pop() returns 2, where that of a
  /// queue returns 1". Empty: it claims none, or behaves like it.
  const std::string& refused_family() const;
  /// The family that its author says it is of; engines ask family() instead.
  virtual Family claimed_family() const { return Family::none; }

  /// Why the arguments or the result cannot be the method's (wrong number, wrong type); empty if
  /// they can.
  virtual std::string reject(const BoundLabel& label) const = 0;

  /// Why this cannot be the initial value; empty if it can.
  virtual std::string reject_initial(Value initial) const = 0;

  /// `initial` empty: the specification's own.
  virtual std::unique_ptr<StateSpace> states(std::optional<Value> initial) const = 0;
  virtual std::unique_ptr<Replay> replay(std::optional<Value> initial) const = 0;

  /// True only if the label changes no state in which it is legal ("pure", algorithm A.1):
  /// reads, failed compare-and-swaps, removals that found nothing.
  virtual bool pure(const BoundLabel& label) const = 0;

  /// The keys that the operation touches; none: the whole object.
  virtual std::vector<Value> keys(const BoundLabel& label) const = 0;

  virtual Traffic traffic(const BoundLabel& label) const = 0;

  /// The copies that are there from the start, for `traffic`; empty optional: not known, so no
  /// conclusion may be drawn.
  virtual std::optional<std::vector<Value>> initial_values(std::optional<Value> initial) const = 0;

 private:
  void check_family() const;

  mutable std::once_flag family_is_checked_;
  mutable Family family_ = Family::none;
  mutable std::string refused_family_;
};

/// A specification by name or alias ("register", "queue", ...), or nothing.
PLUMB_API const Specification* find_specification(std::string_view name);
/// All of them, in the order of the documentation.
PLUMB_API std::vector<const Specification*> all_specifications();

}  // namespace plumb
