// SPDX-License-Identifier: MIT
// A class under test, without its types. describe.hpp fills it in, test.hpp hands it to the
// runtime. All of it is compiled in the library, so that a test compiles fast; only plain data
// crosses the border, so that the test may be compiled in other modes of the C++ library.
#pragma once

#include <utility>

#include "plumb/export.hpp"
#include "plumb/test_abi.hpp"

namespace plumb::detail {

/// A callable without its type. Whoever is given it destroys it.
struct Erased {
  void* self = nullptr;
  void (*destroy)(void* self) = nullptr;
};
template <class F>
Erased erase(F f) {
  return {new F(std::move(f)), [](void* self) { delete static_cast<F*>(self); }};
}

/// What the runtime knows of an object, and what keeps it alive. Copies share it.
class PLUMB_API ObjectUnderTest {
 public:
  ObjectUnderTest(const char* name, void* (*create)(const void*), void (*destroy)(void*),
                  bool has_default);
  ObjectUnderTest(const ObjectUnderTest& other);
  ObjectUnderTest& operator=(const ObjectUnderTest&) = delete;
  ~ObjectUnderTest();

  /// A method with its arguments. `run`: as in plumb_operation.
  struct Operation {
    const char* method;
    const char* text;
    void (*run)(const void* self, void* object);
    Erased self;
    int traits;
    const char* sample;
  };
  void add(const Operation& operation);
  /// All operations of the last method: see plumb_operation.
  void set_last_only_on(int column);
  void set_last_one_thread();
  void add_last_trait(int trait);

  void set_data_independent();
  using Call = void (*)(const void* self, void* object);
  void set_validate(Call validate, Erased self);
  void set_each_thread(Call attach, Erased attach_self, Call detach, Erased detach_self);
  /// Instead of a default constructor.
  void set_make(void* (*make)(const void* self), Erased self);
  /// A method that needs values to be called, if it is to be.
  void set_without_values(const char* method);

  const plumb_object& table() const;
  /// Why it cannot be made; empty: it can.
  const char* refuse() const;
  /// The same, and why not all of its methods can be called.
  const char* refuse_test() const;

 private:
  struct Content;
  Content* content_;
};

}  // namespace plumb::detail
