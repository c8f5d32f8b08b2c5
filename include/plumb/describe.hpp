// SPDX-License-Identifier: MIT
// A specification out of an ordinary class.
//
//   struct Bounded {
//     std::deque<int> items;
//     auto state() const { return std::tie(items); }   // gives equality, hash and printing
//     bool enq(int v) { if (items.size() == 4) return false; items.push_back(v); return true; }
//     int deq() { if (items.empty()) plumb::block(); int v = items.front(); ... return v; }
//   };
//   auto spec = plumb::describe<Bounded>("bounded")
//                   .method("enq", &Bounded::enq).arguments("v").pure_when(Value::boolean(false))
//                   .method("deq", &Bounded::deq).alias("dequeue").blocks();
//
// .family() and .role() say what kind of object it is (plumb/family.hpp).
// The class is copyable and default constructible. An initial value of the history reaches it
// through a constructor T(Value) or, typed, through `static T from_initial(std::vector<int>)`.
// What follows .method() is about that method. Only method() is necessary: everything else lets
// engines search less, and a wrong statement there gives wrong verdicts; .alias(), .arguments(),
// .blocks() and .result() are for readers and people.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/described.hpp"

namespace plumb {

/// Copies share one table. Requires: no more methods are added once it is in use.
template <class T>
class Description {
 public:
  explicit Description(std::string name)
      : object_(name.c_str(), &detail::create_object<T>, &detail::destroy_object<T>,
                std::is_default_constructible_v<T>) {
#ifdef PLUMB_SPECIFICATION  // so is compiled what --spec names
    detail::require_specification<T>();
#endif
    if constexpr (detail::IsSpecification<T>) {
      table_ = std::make_shared<detail::Described>(std::move(name), detail::state_type<T>());
      detail::announce(table_);
    }
  }

  const Specification& table() const {
    detail::require_specification<T>();
    return *table_;
  }
  operator const Specification&() const { return table(); }
  std::shared_ptr<const Specification> shared_table() const { return table_; }
  const detail::ObjectUnderTest& object() const { return object_; }

  /// A member function of T, or a callable that takes T& (const T&: it is pure) and the arguments.
  /// For an object under test: with plumb::values(...) for each argument.
  template <class F, class... V>
  Description& method(std::string name, F f, const Values<V>&... values) {
    using Arguments = typename detail::Parameters<T, F>::type;
    constexpr bool kHasValues = sizeof...(V) > 0 || std::tuple_size_v<Arguments> == 0;
    if constexpr (kHasValues || !detail::IsSpecification<T>) {
      detail::add_operations<T>(object_, name, f, static_cast<Arguments*>(nullptr), values...);
    } else {
      object_.set_without_values(name.c_str());
    }
    if constexpr (detail::IsSpecification<T>) {
      Method method;
      detail::MethodCode code;
      method.name = std::move(name);
#ifdef PLUMB_SPECIFICATION
      constexpr bool kIsTested = false;
#else
      constexpr bool kIsTested = kHasValues;
#endif
      detail::fill<T, kIsTested>(method, code, std::move(f), static_cast<Arguments*>(nullptr));
      table_->add(std::move(method), std::move(code));
    }
    return *this;
  }

  /// Of an object under test: the method is called in this column of a test only (0: the first).
  Description& only_on(int column) {
    object_.set_last_only_on(column);
    return *this;
  }
  /// ... in at most one column: by a single consumer, say.
  Description& at_most_one_thread() {
    object_.set_last_one_thread();
    return *this;
  }
  /// While others are busy it may fail (return false, or nothing), and has then done nothing.
  Description& may_fail_under_contention() { return trait(plumb_operation::may_fail); }
  /// It changes nothing, and may return what is not true any more, or not yet.
  Description& weak_read() { return trait(plumb_operation::weak_read); }
  /// It may take effect any time after its call, even after its return.
  Description& asynchronous() { return trait(plumb_operation::asynchronous); }
  /// The object does nothing with the values of arguments but keep them, give them back and compare
  /// them for equality: of tests that differ in values only, one is enough.
  Description& data_independent() {
    object_.set_data_independent();
    return *this;
  }
  /// Called on the object when all threads are done: what it asserts is a finding.
  template <class F>
  Description& validate(F f) {
    object_.set_validate(&detail::call_with<T, F>, detail::erase(std::move(f)));
    return *this;
  }
  /// For libraries whose threads register: each thread of a test calls `attach` before its first
  /// operation and `detach` after its last, the main thread after it has made the object and before
  /// it destroys it. Functions of the object, or without arguments; they are no operations.
  template <class Attach, class Detach>
  Description& each_thread(Attach attach, Detach detach) {
    object_.set_each_thread(&detail::call_with<T, Attach>, detail::erase(std::move(attach)),
                            &detail::call_with<T, Detach>, detail::erase(std::move(detach)));
    return *this;
  }
  /// Makes the object, where it has no default constructor: returns a T, or a T*.
  template <class F>
  Description& made_by(F f) {
    object_.set_make(
        [](const void* self) -> void* {
          const F& make = *static_cast<const F*>(self);
          if constexpr (std::is_pointer_v<std::invoke_result_t<F>>) return make();
          else return new T(make());
        },
        detail::erase(std::move(f)));
    return *this;
  }

  /// What kind of object it is. A claim: see plumb/family.hpp.
  Description& family(Family family) {
    detail::require_specification<T>();
    table_->set_family(family);
    return *this;
  }
  /// What the method does in an object of that family.
  Description& role(Role role) {
    last().role = role;
    return *this;
  }

  template <class... Names>
  Description& alias(Names... names) {
    (last().aliases.push_back(names), ...);
    return *this;
  }
  template <class... Names>
  Description& arguments(Names... names) {
    last().args = {std::string(names)...};
    return *this;
  }
  /// So many of the last arguments may be left out.
  Description& optional_arguments(std::size_t n) {
    last().optional_args = n;
    return *this;
  }
  /// What the result is, for people; and if it may be nil, the word for that: reports say
  /// "deq() returned empty" if it is "empty".
  Description& result(std::string text, std::string nil_word = {}) {
    last().result = std::move(text);
    last().nil_word = std::move(nil_word);
    return *this;
  }
  /// In some state it cannot return.
  Description& blocks() {
    last().blocks = true;
    return *this;
  }

  /// With this result it changes nothing, whatever the state. (A const member never does.)
  Description& pure_when(Value result) {
    return pure_when([result](std::span<const Value>, Value r) { return r == result; },
                     "if " + result.to_string());
  }
  /// The same, as a predicate on arguments and result.
  Description& pure_when(std::function<bool(std::span<const Value> args, Value result)> predicate,
                         std::string text) {
    last().pure = std::move(text);
    table_->last_code().pure_when = std::move(predicate);
    return *this;
  }

  /// Operations on different keys do not affect each other: this argument is the key.
  Description& key(std::size_t argument) {
    last().key_args.push_back(argument);
    return *this;
  }
  /// For keys that are not simply arguments; `text` is for people.
  Description& keys(std::function<std::vector<Value>(std::span<const Value> args)> keys,
                    std::string text) {
    last().keys = std::move(text);
    table_->last_code().keys = std::move(keys);
    return *this;
  }

  /// After it, this argument may be observed.
  Description& adds(std::size_t argument) {
    return traffic([argument](std::span<const Value> args, Value, bool) {
      return Traffic{.adds = argument < args.size() ? args[argument] : Value::nil(),
                     .observes = {},
                     .removes = false};
    });
  }
  /// Its result, unless nil, was added before (or there from the start).
  Description& observes_result() { return observes_result(false); }
  /// ... and one copy of it is gone.
  Description& removes_result() { return observes_result(true); }
  Description& traffic(
      std::function<Traffic(std::span<const Value> args, Value result, bool known)> traffic) {
    table_->last_code().traffic = std::move(traffic);
    return *this;
  }
  /// Which values are there from the start: without it, nothing is concluded from what the
  /// methods add and observe.
  Description& initial_values(detail::InitialValues values) {
    table_->set_initial_values(std::move(values));
    return *this;
  }

 private:
  Description& trait(int trait) {
    object_.add_last_trait(trait);
    return *this;
  }
  Method& last() {
    detail::require_specification<T>();
    return table_->last_method();
  }
  Description& observes_result(bool removes) {
    return traffic([removes](std::span<const Value>, Value result, bool known) {
      if (!known || result.is_nil()) return Traffic{};
      return Traffic{.adds = {}, .observes = result, .removes = removes};
    });
  }

  std::conditional_t<detail::IsSpecification<T>, std::shared_ptr<detail::Described>,
                     detail::NoTable>
      table_;
  detail::ObjectUnderTest object_;
};

template <class T>
Description<T> describe(std::string name) {
  return Description<T>(std::move(name));
}

}  // namespace plumb
