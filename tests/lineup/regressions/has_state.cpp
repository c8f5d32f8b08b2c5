// SPDX-License-Identifier: MIT
// A class that can be copied and has a member state() is not for that a specification: it may take
// and return what none could, and start as none could. This did not compile.
//! Light: "set(0) | set(1), state", preemptions 2: holds
//! Light: "blink | state", preemptions 2: violation
//! Machine: "blink | state", preemptions 2: holds
//! Door: "blink | state", preemptions 2: violation
#include <plumb/test.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <ostream>

enum class Color { red, green };

// A handle: copies are the same light.
class Light {
 public:
  void set(Color color) { *color_ = color; }
  void set_if(std::optional<Color> color) { *color_ = color.value_or(*color_); }
  void blink() {
    *color_ = Color::green;
    *color_ = Color::red;
  }
  Color state() const { return *color_; }

 private:
  std::shared_ptr<std::atomic<Color>> color_ = std::make_shared<std::atomic<Color>>(Color::red);
};

// Its state() is an action.
class Machine : public Light {
 public:
  void state() const { steps_->fetch_add(1); }

 private:
  std::shared_ptr<std::atomic<int>> steps_ = std::make_shared<std::atomic<int>>(0);
};

// Its state() is something that plumb cannot compare.
class Door : public Light {
 public:
  struct Seen {
    int color;
    friend std::ostream& operator<<(std::ostream& out, const Seen& s) { return out << s.color; }
  };
  explicit Door(int) {}
  Seen state() const { return {static_cast<int>(Light::state())}; }
};

template <class T>
T* make() {
  if constexpr (std::is_default_constructible_v<T>) return new T;
  else return new T(1);
}

auto description() {
  return plumb::describe<OBJECT>("OBJECT")
      .method("set", &OBJECT::set, plumb::values(Color::red, Color::green))
      .method("set_if", &OBJECT::set_if, plumb::values(std::optional(Color::red)))
      .method("blink", &OBJECT::blink)
      .method("state", &OBJECT::state)
      .made_by(&make<OBJECT>);
}

int main(int argc, char** argv) { return plumb::test(description()).main(argc, argv); }
