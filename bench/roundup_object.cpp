// SPDX-License-Identifier: MIT
// What bench/roundup runs: a class of objects/ with as many values as its programs need. A compiler
// flag includes the header; the macro OBJECT is the class.
#include <plumb/test.hpp>

namespace {

template <class T>
concept Stack = requires(T object) {
  object.pop();
};
template <class T>
concept PriorityQueue = requires(T object) {
  object.deq_min();
};

template <class T>
void put(T& object, int value) {
  if constexpr (Stack<T>) object.push(value);
  else if constexpr (PriorityQueue<T>) object.enq(value, value);
  else object.enq(value);
}

template <class T>
auto take(T& object) {
  if constexpr (Stack<T>) return object.pop();
  else if constexpr (PriorityQueue<T>) return object.deq_min();
  else return object.deq();
}

}  // namespace

int main(int argc, char** argv) {
  using Object = plumb::objects::OBJECT;
  return plumb::test(plumb::describe<Object>("object")
                         .method(
                             Stack<Object> ? "push" : "enq",
                             [](Object& object, int value) { put(object, value); },
                             plumb::values(1, 2, 3, 4, 5, 6, 7))
                         .method(Stack<Object> ? "pop" : "deq",
                                 [](Object& object) { return take(object); }))
      .main(argc, argv);
}
