// SPDX-License-Identifier: MIT
// Runs byte code from one boundary to the next.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/code/program.hpp"

namespace plumb::model {

/// What went wrong inside an operation.
struct Fault {
  std::uint32_t line = 0;
  std::string message;
  bool in_requires = false;  // so it is the clients' mistake, not the object's
};

/// What the object's code did in all attempts at a step so far, those that had to wait included.
struct Coverage {
  enum : std::uint8_t { reached = 1, yes = 2, no = 4 };  // yes, no: of a CAS or an await
  std::vector<std::uint8_t> code;                        // by instruction
  std::vector<std::uint8_t> returned;                    // by operation: whether it did

  void merge(const Coverage& other);
};

/// The shared cells that steps have touched.
struct Footprint {
  std::vector<std::uint64_t> reads, writes;  // one bit per cell
  bool operator==(const Footprint&) const = default;
};

/// How a run ended; `running`: not yet.
enum class RunEnd : std::uint8_t { running, boundary, returned, blocked, cut, fault };

/// Not thread-safe: it has scratch memory.
class Interpreter {
 public:
  explicit Interpreter(const Program& program);

  /// What a run works on. `object`: `shared` is a whole state, and the code is the object's.
  struct Run {
    const Instruction* code;
    Cell *shared, *locals;
    std::uint32_t self;
    std::uint8_t* covered;  // by instruction
    bool object;
  };
  /// Runs the code from an instruction on.
  RunEnd run(const Run& run, std::uint32_t ip);
  /// Whether the invariants hold in a state; if not, there is a fault.
  bool invariants_hold(Cell* state, std::uint8_t* covered);

  /// The choices of a run. Forgets them: the next run takes the first of each.
  void first_choice() { choices_.clear(); }
  /// Makes the next run take other choices than those before; false: it had them all.
  bool next_choice();

  /// Of the last run.
  Cell point() const { return point_; }            // boundary: where
  std::int64_t result() const { return result_; }  // returned: what
  std::uint32_t marks() const { return marks_; }   // how often it passed `linearize`
  const Fault& fault() const { return fault_; }

  /// See Machine::watch.
  void watch(Footprint* footprint) { footprint_ = footprint; }

 private:
  /// Of numbers. The parser's limit on nesting keeps expressions far below its size.
  class Stack {
   public:
    Stack() = default;
    Stack(const Stack&) = delete;
    Stack& operator=(const Stack&) = delete;
    void clear() { top_ = values_; }
    void push_back(std::int64_t value) { *++top_ = value; }
    void pop_back() { --top_; }
    std::int64_t& back() { return *top_; }
    std::int64_t below(int depth) const { return top_[-depth]; }

   private:
    std::int64_t values_[1024];
    std::int64_t* top_ = values_;
  };

  std::int64_t pop() {
    const std::int64_t value = stack_.back();
    stack_.pop_back();
    return value;
  }
  void push(std::int64_t value) { stack_.push_back(value); }
  RunEnd fail(const Instruction& at, std::string message);
  RunEnd fail_range(const Instruction& at, std::int64_t value);
  RunEnd fail_index(const Instruction& at, std::int64_t index, Cell size);
  std::int64_t choice(std::int64_t low, std::int64_t high);
  void note(const Instruction& next);
  bool allocate(std::uint32_t pool, const Run& run);
  void release(std::uint32_t pool, Cell node, Cell* shared);
  void written(Cell cell, const Run& run);

  /// One instruction, or one kind of them.
  RunEnd store(const Instruction& i, Cell* cells);
  RunEnd store_shared(const Instruction& i, const Run& run);
  RunEnd load_indexed(const Instruction& i, const Cell* shared);
  RunEnd weak_register(const Instruction& i, Cell* shared);
  RunEnd change_indexed(const Instruction& i, const Run& run, std::uint8_t& seen);
  RunEnd check(const Instruction& i);
  RunEnd replace(const Instruction& i);
  RunEnd use_node(const Instruction& i, Cell* shared);
  RunEnd choose(const Instruction& i);
  RunEnd await(std::uint8_t& seen);
  RunEnd give_back(const Instruction& i);
  RunEnd arithmetic(const Instruction& i);
  void compare(Code code);

  const Program& program_;
  bool links_ = false;  // some operation has an LL
  Stack stack_;
  Footprint* footprint_ = nullptr;
  /// The choices of the run: those made so far are repeated, then the first of each is taken.
  struct Choice {
    std::int64_t taken, last;
  };
  std::vector<Choice> choices_;
  std::size_t made_ = 0;
  Cell point_ = 0;
  std::int64_t result_ = 0;
  std::uint32_t marks_ = 0;
  Fault fault_;
};

}  // namespace plumb::model
