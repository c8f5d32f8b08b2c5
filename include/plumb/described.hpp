// SPDX-License-Identifier: MIT
// What describe<T>() makes of a class: a Specification that no longer knows its types. State,
// equality, hash and printing come from T, arguments and results from Convert (plumb/convert.hpp).
// Users include plumb/describe.hpp.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "plumb/convert.hpp"
#include "plumb/export.hpp"
#include "plumb/nondeterminism.hpp"
#include "plumb/operations.hpp"
#include "plumb/specification.hpp"

namespace plumb::detail {

/// A class T, without its type.
struct StateType {
  void* (*create)(const std::optional<Value>& initial);
  std::string (*refuse_initial)(Value initial);  // what was expected; empty: nothing wrong
  void* (*clone)(const void*);
  void (*assign)(void*& to, const void* from);
  void (*destroy)(void*);
  bool (*equal)(const void*, const void*);
  std::uint64_t (*hash)(const void*);
  std::string (*print)(const void*);
  std::size_t (*bytes)(const void*);
};

/// A method of T, without its types.
struct MethodCode {
  std::function<Value(void* object, std::span<const Value> args)> run;
  std::vector<std::string (*)(Value)> refuse_argument;
  std::string (*refuse_result)(Value) = nullptr;
  Value (*normal_result)(Value) = nullptr;  // [2,1] and [1,2] are one set
  bool is_const = false;
  std::function<bool(std::span<const Value> args, Value result)> pure_when;
  std::function<std::vector<Value>(std::span<const Value> args)> keys;
  std::function<Traffic(std::span<const Value> args, Value result, bool known)> traffic;
};

using InitialValues = std::function<std::vector<Value>(std::optional<Value> initial)>;

/// The table that engines see. Everything but the user's class is compiled in the library.
class PLUMB_API Described final : public Specification {
 public:
  Described(std::string name, const StateType& type);
  ~Described() override;

  const std::string& name() const override { return name_; }
  std::span<const Method> methods() const override { return methods_; }
  Family claimed_family() const override { return claimed_family_; }
  std::string reject(const BoundLabel& label) const override;
  std::string reject_initial(Value initial) const override;
  std::unique_ptr<StateSpace> states(std::optional<Value> initial) const override;
  std::unique_ptr<Replay> replay(std::optional<Value> initial) const override;
  bool pure(const BoundLabel& label) const override;
  std::vector<Value> keys(const BoundLabel& label) const override;
  Traffic traffic(const BoundLabel& label) const override;
  std::optional<std::vector<Value>> initial_values(std::optional<Value> initial) const override;

  void add(Method method, MethodCode code);
  Method& last_method();
  MethodCode& last_code();
  void set_family(Family family) { claimed_family_ = family; }
  void set_initial_values(InitialValues values) { initial_values_ = std::move(values); }

  const StateType& type() const { return type_; }
  const MethodCode& code(MethodId method) const { return code_[method]; }
  /// Whether the label's result decides anything: it is known, and nil is not "not recorded".
  bool decided(const BoundLabel& label) const;

 private:
  std::string name_;
  Family claimed_family_ = Family::none;
  StateType type_;
  std::vector<Method> methods_;
  std::vector<MethodCode> code_;
  InitialValues initial_values_;
};

/// Of a class that is no specification: its test need not compile one. Only what does not compile
/// would use it.
struct NoTable {
  operator std::shared_ptr<const Specification>() const { return nullptr; }
  Described* operator->() const;
  Described& operator*() const;
};

/// A shared object that is being opened hands over its descriptions here.
PLUMB_API void announce(std::shared_ptr<const Described> description);

/// The parameters of a member function of T, or of a function after its first one, the object.
template <class T, class F>
struct Parameters : Parameters<T, decltype(&F::operator())> {};
template <class Tuple>
struct Tail;
template <class Head, class... Rest>
struct Tail<std::tuple<Head, Rest...>> {
  using type = std::tuple<Rest...>;
};
template <class T, class C, class... A>
struct MemberParameters {
  using type = std::tuple<std::decay_t<A>...>;
};
template <class T, class C, class... A>
requires(!std::is_base_of_v<C, T>) struct MemberParameters<T, C, A...>
    : Tail<std::tuple<std::decay_t<A>...>> {
};
template <class T, class C, class R, class... A>
struct Parameters<T, R (C::*)(A...)> : MemberParameters<T, C, A...> {};
template <class T, class C, class R, class... A>
struct Parameters<T, R (C::*)(A...) const> : MemberParameters<T, C, A...> {};
template <class T, class C, class R, class... A>
struct Parameters<T, R (C::*)(A...)&> : MemberParameters<T, C, A...> {};
template <class T, class C, class R, class... A>
struct Parameters<T, R (C::*)(A...) const&> : MemberParameters<T, C, A...> {};
template <class T, class C, class R, class... A>
struct Parameters<T, R (C::*)(A...) noexcept> : MemberParameters<T, C, A...> {};
template <class T, class C, class R, class... A>
struct Parameters<T, R (C::*)(A...) const noexcept> : MemberParameters<T, C, A...> {};
template <class T, class C, class R, class... A>
struct Parameters<T, R (C::*)(A...)& noexcept> : MemberParameters<T, C, A...> {};
template <class T, class C, class R, class... A>
struct Parameters<T, R (C::*)(A...) const& noexcept> : MemberParameters<T, C, A...> {};
template <class T, class R, class Object, class... A>
struct Parameters<T, R (*)(Object, A...)> {
  using type = std::tuple<std::decay_t<A>...>;
};
template <class T, class R, class Object, class... A>
struct Parameters<T, R (*)(Object, A...) noexcept> {
  using type = std::tuple<std::decay_t<A>...>;
};

template <class T>
concept MadeFromTyped = requires {
  &T::from_initial;
};
template <class T, class A>
std::decay_t<A> parameter(T (*)(A));
template <class T>
using InitialArgument = decltype(parameter(&T::from_initial));

template <class T>
void* create(const std::optional<Value>& initial) {
  if constexpr (std::is_default_constructible_v<T>) {
    if (!initial) return new T();
  }
  const Value value = initial.value_or(Value::nil());
  if constexpr (MadeFromTyped<T>) {
    return new T(T::from_initial(Convert<InitialArgument<T>>::from(value)));
  } else if constexpr (std::is_constructible_v<T, Value>) {
    return new T(value);
  } else {
    return new T();
  }
}

template <class T>
std::string refuse_initial(Value initial) {
  if constexpr (MadeFromTyped<T>) {
    return Convert<InitialArgument<T>>::refuse(initial);
  } else {
    return std::is_constructible_v<T, Value> ? "" : "none: it always starts in the same state";
  }
}

template <class T>
concept StartsSomehow =
    std::is_default_constructible_v<T> || MadeFromTyped<T> || std::is_constructible_v<T, Value>;

/// A class that can be a specification, since it says all that it remembers. Any class can be an
/// object under test; whether such a one is, is not known before it is used.
template <class T>
concept IsSpecification = HasState<T> && std::is_copy_constructible_v<T> && StartsSomehow<T> &&
    is_known<T>();

template <class T>
void require_specification() {
  static_assert(
      std::is_copy_constructible_v<T>,
      "a class that describes a specification must be copyable: its copies are the states");
  static_assert(HasState<T>,
                "a class that describes a specification needs a member function "
                "`auto state() const { return std::tie(a, b); }` of everything that it remembers: "
                "it gives equality, hash and printing");
  static_assert(!HasState<T> || is_known<T>(), "state() holds a type that plumb cannot hash");
  static_assert(StartsSomehow<T>,
                "a class that describes a specification needs a default constructor, a "
                "constructor T(plumb::Value) or a function static T from_initial(...)");
}

template <class T>
StateType state_type() {
  return {&create<T>,
          &refuse_initial<T>,
          [](const void* from) -> void* { return new T(*static_cast<const T*>(from)); },
          [](void*& to, const void* from) {
            if constexpr (std::is_copy_assignable_v<T>) {
              *static_cast<T*>(to) = *static_cast<const T*>(from);
            } else {
              delete static_cast<T*>(std::exchange(to, nullptr));
              to = new T(*static_cast<const T*>(from));
            }
          },
          [](void* object) { delete static_cast<T*>(object); },
          [](const void* a, const void* b) {
            return static_cast<const T*>(a)->state() == static_cast<const T*>(b)->state();
          },
          [](const void* object) { return hash_of(static_cast<const T*>(object)->state()); },
          [](const void* object) { return text_of(static_cast<const T*>(object)->state()); },
          [](const void* object) {
            return std::max<std::size_t>(32, sizeof(T) + 16) +  // a block of its own
                   heap_bytes_of(static_cast<const T*>(object)->state());
          }};
}

/// An object under test.
template <class T>
void* create_object(const void*) {
  if constexpr (std::is_default_constructible_v<T>) return new T();
  else return nullptr;  // never: see ObjectUnderTest::refuse
}
template <class T>
void destroy_object(void* object) {
  delete static_cast<T*>(object);
}

/// A function of the object, or one without arguments.
template <class T, class F>
void call_with(const void* self, void* object) {
  const F& f = *static_cast<const F*>(self);
  if constexpr (std::is_invocable_v<const F&, T&>) std::invoke(f, *static_cast<T*>(object));
  else f();
}

/// An argument that was left out is a default one.
template <class A>
A argument(std::span<const Value> args, std::size_t i) {
  return i < args.size() ? Convert<A>::from(args[i]) : A{};
}

inline std::string refuse_unknown(Value) { return "a value with a plumb::Convert"; }

/// kIsTested: it may be a method of an object under test, of which a specification needs more.
template <class T, bool kIsTested, class F, class... A>
void fill(Method& method, MethodCode& code, F f, std::tuple<A...>*) {
  constexpr bool kConst = std::is_invocable_v<F, const T&, A...>;
  using Object = std::conditional_t<kConst, const T, T>;
  using R = std::decay_t<std::invoke_result_t<F, Object&, A...>>;
  for (std::size_t i = 1; i <= sizeof...(A); ++i) method.args.push_back("arg" + std::to_string(i));
  code.is_const = kConst;
  if (code.is_const) method.pure = "always";
  if constexpr ((Convertible<A> && ...) && (std::is_void_v<R> || Convertible<R>)) {
    code.run = [f]<std::size_t... I>(std::index_sequence<I...>) {
      return [f](void* object, [[maybe_unused]] std::span<const Value> args) -> Value {
        Object& self = *static_cast<T*>(object);
        if constexpr (std::is_void_v<R>) {
          std::invoke(f, self, argument<A>(args, I)...);
          return Value::nil();
        } else {
          return Convert<R>::to(std::invoke(f, self, argument<A>(args, I)...));
        }
      };
    }
    (std::index_sequence_for<A...>());
    code.refuse_argument = {&Convert<A>::refuse...};
    if constexpr (std::is_void_v<R>) {
      method.returns_nothing = true;
      method.result = "nothing";
    } else {
      method.nil_is_unrecorded = !Convert<R>::refuse(Value::nil()).empty();
      method.result = method.nil_is_unrecorded ? Convert<R>::refuse(Value::nil()) : "a value";
      code.refuse_result = &Convert<R>::refuse;
      code.normal_result = [](Value v) { return Convert<R>::to(Convert<R>::from(v)); };
    }
  } else {
    static_assert(kIsTested,
                  "the arguments and the result of a specification's method need a "
                  "plumb::Convert; the arguments of a method under test plumb::values(...)");
    code.refuse_argument.resize(sizeof...(A), &refuse_unknown);
    code.refuse_result = &refuse_unknown;
    code.run = [](void*, std::span<const Value>) -> Value {
      throw std::logic_error("it has a type for which there is no plumb::Convert");
    };
  }
}

}  // namespace plumb::detail
