// SPDX-License-Identifier: MIT
// The operations of an object under test: methods with values for their arguments. describe.hpp
// collects them, test.hpp runs them.
#pragma once

#include <algorithm>
#include <functional>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "plumb/convert.hpp"
#include "plumb/object_under_test.hpp"
#include "plumb/test_abi.hpp"

namespace plumb {

/// The values with which an argument is tried.
template <class V>
struct Values {
  std::vector<V> all;
};
template <class... V>
auto values(V... all) {
  using Common = std::common_type_t<V...>;
  // "a" and "b" shall outlive the call.
  if constexpr (std::is_convertible_v<Common, std::string_view>)
    return Values<std::string>{{std::string(all)...}};
  else return Values<Common>{{static_cast<Common>(all)...}};
}

namespace detail {

template <class R>
concept Streamable = requires(std::ostream& out, const R& r) {
  out << r;
};

template <class R>
concept OwnsAddress = requires(const R& r) {
  typename R::element_type;
  r.get();
};
template <class R>
concept SmartPointer = OwnsAddress<R> && requires(const R& r) {
  *r;
};

/// It holds a value, or says why not.
template <class R>
concept ExpectedLike = OptionalLike<R> && requires(const R& r) {
  r.error();
};

/// What operator<< wrote, without what a terminal would obey.
inline std::string printable(const std::string& text) {
  const auto is_strange = [](unsigned char c) { return c < ' ' || c == '\\'; };
  if (std::none_of(text.begin(), text.end(), is_strange)) return text;
  const std::string quoted = Value::quoted(text);
  return quoted.substr(1, quoted.size() - 2);
}
/// The same among others: it ends where it seems to end.
inline std::string printable_item(const std::string& text) {
  const bool is_plain = !text.empty() && text.find_first_of(",:[](){}\"") == std::string::npos;
  return is_plain && printable(text) == text ? text : Value::quoted(text);
}

/// What a result is called; what is called alike is equal.
template <class R>
std::string result_text(const R& result, bool is_item = false) {
  if constexpr (HasState<R> || std::is_arithmetic_v<R> || std::is_enum_v<R> ||
                std::is_convertible_v<const R&, std::string_view>) {
    return text_of(result);
  } else if constexpr (ExpectedLike<R>) {
    return result.has_value() ? result_text(*result, true)
                              : "error(" + result_text(result.error(), true) + ")";
  } else if constexpr (OptionalLike<R>) {
    if (!result.has_value()) return "null";
    return held_text<std::decay_t<decltype(*result)>>(result_text(*result, is_item));
  } else if constexpr (Iterable<R>) {
    std::vector<std::string> items;
    for (const auto& item : result) items.push_back(result_text(item, true));
    return "[" + joined<R>(std::move(items)) + "]";
  } else if constexpr (TupleLike<R>) {
    return std::apply(
        [](const auto&... items) { return "[" + joined<R>({result_text(items, true)...}) + "]"; },
        result);
  } else if constexpr (SmartPointer<R>) {
    if (!result) return "null";
    return held_text<std::decay_t<decltype(*result)>>(result_text(*result, is_item));
  } else if constexpr (Convertible<R>) {
    return Convert<R>::to(result).to_string();
  } else {
    static_assert(
        !std::is_pointer_v<R> && !OwnsAddress<R>,
        "addresses differ from execution to execution: return what the pointer points to");
    static_assert(Streamable<R>, "a result needs operator<<, or a member function state()");
    std::ostringstream out;
    out << result;
    return is_item ? printable_item(out.str()) : printable(out.str());
  }
}

/// What a result of that type may be called; where it can be empty, one that is not. The type alone
/// says so: no object of a user's class is made. Empty: it does not say.
template <class R>
std::string sample_text() {
  if constexpr (std::is_void_v<R>) return "null";
  else if constexpr (HasState<R>) return {};
  else if constexpr (std::is_arithmetic_v<R> || std::is_enum_v<R>) return result_text(R{});
  else if constexpr (std::is_convertible_v<const R&, std::string_view>) return result_text("");
  else if constexpr (OptionalLike<R> || SmartPointer<R>) {
    using Held = std::decay_t<decltype(*std::declval<const R&>())>;
    return held_text<Held>(sample_text<Held>());
  } else if constexpr (Iterable<R>) return "[]";
  else return {};
}

template <class R>
void print_result(const void* result, void* to) {
  const std::string text = result_text(*static_cast<const R*>(result));
  plumb_print(to, text.data(), text.size());
}

inline void print_nothing(const void*, void*) {}

/// Numbers that tell such results apart, as their texts do: 1 and true are two.
template <class R>
concept SmallResult = std::is_integral_v<R> || std::is_enum_v<R>;
inline constexpr std::uint64_t kNothingNumber = 0xe7037ed1a0b428db,
                               kNullNumber = 0xa0761d6478bd642f;
template <SmallResult R>
constexpr std::uint64_t small_number(R result) {
  if constexpr (std::is_same_v<R, bool>) return result ? 0xb5026f5aa96619e9 : 0xd6e8feb86659fd93;
  else return combine(0x51ed270b7f4a1234, static_cast<std::uint64_t>(result));
}
template <class R>
concept OptionalSmallResult =
    OptionalLike<R> && !ExpectedLike<R> && !HasState<R> && requires(const R& r) {
  requires SmallResult<std::decay_t<decltype(*r)>>;
};

/// Small results are compared by value, others by their text.
template <class R>
void returned(const R& result) {
  if constexpr (SmallResult<R>) {
    plumb_returned_number(small_number(result), &print_result<R>, &result);
  } else if constexpr (OptionalSmallResult<R>) {
    plumb_returned_number(result.has_value() ? small_number(*result) : kNullNumber,
                          &print_result<R>, &result);
  } else {
    plumb_returned(&print_result<R>, &result);
  }
}

/// Whether others may notice that it is gone: a handle gives something back, a shared pointer
/// counts.
template <class R>
constexpr bool ends_noticeably() {
  if constexpr (std::is_trivially_destructible_v<R>) return false;
  else if constexpr (std::is_convertible_v<const R&, std::string_view>) return false;
  else if constexpr (Iterable<R>)
    return ends_noticeably<std::decay_t<decltype(*std::declval<const R&>().begin())>>();
  else if constexpr (OptionalLike<R>)
    return ends_noticeably<std::decay_t<decltype(*std::declval<const R&>())>>();
  else return true;
}

/// Calls, says what came of it, and lets nothing out. Not instrumented: it is not under test.
template <class Call>
__attribute__((no_sanitize("thread"))) void run_operation(Call& call) {
  using R = decltype(call());
  try {
    if constexpr (std::is_void_v<R>) {
      call();
      plumb_returned_number(kNothingNumber, &print_nothing, nullptr);
    } else {
      using Result = std::decay_t<R>;
      if constexpr (ends_noticeably<Result>()) {
        // After the return it would be nobody's doing.
        auto* const result = new Result(call());
        plumb_keep(result, [](void* kept) { delete static_cast<Result*>(kept); });
        returned(*result);
      } else {
        const Result result = call();
        returned(result);
      }
    }
  } catch (...) { plumb_threw(); }
}

/// A method with its arguments, bound.
template <class T, class F, class... A>
struct BoundCall {
  F f;
  std::tuple<A...> arguments;

  __attribute__((no_sanitize("thread"))) static void run(const void* self, void* object) {
    const auto& bound = *static_cast<const BoundCall*>(self);
    T& target = *static_cast<T*>(object);
    auto call = [&]() -> decltype(auto) {
      return std::apply(
          // The argument is a copy: a method may move from it.
          [&](A... arguments) -> decltype(auto) {
            return std::invoke(bound.f, target, std::move(arguments)...);
          },
          bound.arguments);
    };
    run_operation(call);
  }
};

/// The value of an argument in a combination. Values of the last argument follow each other.
template <class A, class V>
A chosen(const Values<V>& values, std::size_t combination, std::size_t& stride) {
  stride /= values.all.size();
  return static_cast<A>(values.all[combination / stride % values.all.size()]);
}

/// Adds an operation for every combination of values.
template <class T, class F, class... A, class... V>
void add_operations(ObjectUnderTest& object, const std::string& method, F f, std::tuple<A...>*,
                    const Values<V>&... values) {
  static_assert(sizeof...(A) == sizeof...(V), "plumb::values(...) for each argument of the method");
  using R = std::decay_t<std::invoke_result_t<F, T&, A...>>;
  using Call = BoundCall<T, F, A...>;
  constexpr int kTraits = std::is_same_v<R, bool> ? plumb_operation::returns_bool : 0;
  const std::string sample = sample_text<R>();
  const std::size_t count = (std::size_t{1} * ... * values.all.size());
  for (std::size_t i = 0; i < count; ++i) {
    [[maybe_unused]] std::size_t stride = count;
    // In the order in which they are written, as braces promise.
    auto* const call = new Call{f, std::tuple<A...>{chosen<A>(values, i, stride)...}};
    std::string text = method + "(";
    std::apply(
        [&text, n = 0](const auto&... items) mutable {
          ((text += n++ == 0 ? "" : ", ", text += result_text(items)), ...);
        },
        call->arguments);
    text += ")";
    object.add({method.c_str(),
                text.c_str(),
                &Call::run,
                {call, [](void* self) { delete static_cast<Call*>(self); }},
                kTraits,
                sample.c_str()});
  }
}

}  // namespace detail
}  // namespace plumb
