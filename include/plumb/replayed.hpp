// SPDX-License-Identifier: MIT
// A class that cannot be copied, as a specification: its state is the list of its calls, and to go
// back to a state is to make them again on a new object. So a relaxed class that is configured not
// to relax can say what is right (Round-Up, section IV):
//
//   plumb::test(plumb::describe<RelaxedQueue<2>>("RelaxedQueue<2>")
//                   .method("enq", &RelaxedQueue<2>::enq, plumb::values(1, 2))
//                   .method("deq", &RelaxedQueue<2>::deq))
//       .against(plumb::describe<plumb::Replayed<RelaxedQueue<0>>>("RelaxedQueue<0>")
//                    .method("enq", plumb::replayed(&RelaxedQueue<0>::enq), plumb::values(1, 2))
//                    .method("deq", plumb::replayed(&RelaxedQueue<0>::deq)))
#pragma once

#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "plumb/convert.hpp"

namespace plumb {

/// Requires: T has a default constructor. Serially it is deterministic, throws nothing, and no call
/// waits for another.
template <class T>
class Replayed {
 public:
  auto state() const { return std::tie(texts_); }

  /// `text` tells the call apart from others.
  template <class Result, class F, class... A>
  Result call(std::string text, const F& f, const A&... args) {
    T object;
    for (const auto& made : calls_) made(object);
    texts_.push_back(std::move(text));
    calls_.push_back([f, args...](T& again) { std::invoke(f, again, args...); });
    return std::invoke(f, object, args...);
  }

 private:
  std::vector<std::string> texts_;
  std::vector<std::function<void(T&)>> calls_;
};

namespace detail {
inline int replayed_methods = 0;

template <class T, class Result, class... A, class F>
auto replay_by(F method) {
  return [method, number = std::to_string(replayed_methods++)](Replayed<T>& object,
                                                               std::decay_t<A>... args) -> Result {
    return object.template call<Result>(number + "(" + text_of(std::tuple(args...)) + ")", method,
                                        args...);
  };
}
}  // namespace detail

/// A method of T as one of Replayed<T>.
template <class T, class Result, class... A>
auto replayed(Result (T::*method)(A...)) {
  return detail::replay_by<T, Result, A...>(method);
}
template <class T, class Result, class... A>
auto replayed(Result (T::*method)(A...) const) {
  return detail::replay_by<T, Result, A...>(method);
}

}  // namespace plumb
