// SPDX-License-Identifier: MIT
#include "model/native/statement.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace plumb::native {
namespace {

using model::Cell;
using model::Code;
using model::Field;
using model::Instruction;

class Statement {
 public:
  Statement(const model::Program& program, std::uint32_t ip, int depth)
      : p_(program), i_(program.code[ip]), ip_(ip), depth_(depth),
        links_(std::any_of(program.ops.begin(), program.ops.end(),
                           [](const model::Op& op) { return !op.links.empty(); })) {}

  std::optional<std::string> text() const {
    std::optional<std::string> found = stack();
    if (!found) found = shared();
    if (!found) found = number();
    if (!found) found = control();
    return found;
  }

 private:
  /// What is on the stack, so far below the top; and the place above it.
  std::string s(int below) const { return fmt::format("s{}", depth_ - 1 - below); }
  std::string top() const { return fmt::format("s{}", depth_); }

  std::string range(const std::string& value) const {
    return fmt::format("if ({0} < {1} || {0} > {2}) return ASK; ", value, i_.b, i_.c);
  }
  static std::string index(const std::string& at, Cell size) {
    return fmt::format("if ((u64){} >= {}) return ASK; ", at, size);
  }
  // All cells of an array are packed alike.
  std::string load_from(Cell first, const std::string& at) const {
    const Field& f = p_.layout.fields[static_cast<std::size_t>(first)];
    return fmt::format("get(o, shared_word[{0} + {1}], shared_shift[{0} + {1}], {2}ul, {3})", first,
                       at, f.mask, f.low);
  }
  std::string store_to(Cell first, const std::string& at, const std::string& value) const {
    const Field& f = p_.layout.fields[static_cast<std::size_t>(first)];
    return fmt::format(
        "put(o, shared_word[{0} + {1}], shared_shift[{0} + {1}], {2}ul, {4} - ({3}));", first, at,
        f.mask, f.low, value);
  }
  std::string load(const std::string& at) const { return load_from(i_.a, at); }
  std::string store(const std::string& at, const std::string& value) const {
    return store_to(i_.a, at, value) +
           (links_ ? fmt::format(" written(o, p, l, {} + {});", i_.a, at) : "");
  }
  // The next of the odometer's wheels, which is new or set already.
  static std::string choice(const auto& low, const auto& high) {
    return fmt::format(
        "if (c.made == c.count) {{ if (c.count == 16) return ASK; "
        "c.taken[c.count] = {}; c.last[c.count++] = {}; }} ",
        low, high);
  }
  /// As Interpreter::note says of what reaches into other processes.
  std::string everything() const {
    return fmt::format("if (writes) for (u32 w = 0; w < {}; ++w) writes[w] = ~0ul; ",
                       p_.initial_shared.size() / 64 + 1);
  }

  // Registers that are safe or regular: what a read finds while a write is under way.
  std::string weak() const {
    const Instruction& i = i_;
    const std::string at = s(0);
    const bool writes = i.code == Code::begin_write || i.code == Code::end_write;
    const bool has_before = i.code != Code::load_safe && i.b >= 0;
    std::string text = index(at, i.d);
    for (const Cell first : {i.a, i.e, has_before ? i.b : i.a})
      text += fmt::format("{}({} + {}); ", writes ? "WRITE" : "READ", first, at);
    if (i.code == Code::begin_write)
      text += fmt::format("if ({}) return ASK; ", load_from(i.e, at));
    if (writes) {
      text += store_to(i.e, at, i.code == Code::begin_write ? "1" : "0");
      return has_before ? text + " " + store_to(i.b, at, load_from(i.a, at)) : text;
    }
    text += fmt::format("if (!{}) {} = {}; else {{ ", load_from(i.e, at), at, load_from(i.a, at));
    if (i.code == Code::load_safe)
      return text + choice(i.b, i.c) + fmt::format("{} = c.taken[c.made++]; }}", at);
    return text + choice(0, 1) +
           fmt::format("{} = c.taken[c.made++] ? {} : {}; }}", at, load_from(i.a, at),
                       load_from(i.b, at));
  }

  std::optional<std::string> stack() const {
    switch (i_.code) {
      case Code::push: return fmt::format("{} = {};", top(), i_.a);
      case Code::pop: return ";";
      case Code::duplicate: return fmt::format("{} = {};", top(), s(0));
      case Code::self: return fmt::format("{} = p;", top());
      case Code::load_local: return fmt::format("{} = l[{}];", top(), i_.a);
      case Code::store_local: return range(s(0)) + fmt::format("l[{}] = {};", i_.a, s(0));
      case Code::check: return range(s(0));
      case Code::part:
        return fmt::format("{0} = {0} / {1} % {2} + ({3});", s(0), i_.a, i_.c - i_.b + 1, i_.b);
      case Code::replace:
        return range(s(0)) + fmt::format("{0} += ({1} - ({0} / {2} % {3} + ({4}))) * {2};", s(1),
                                         s(0), i_.a, i_.c - i_.b + 1, i_.b);
      default: return {};
    }
  }

  std::optional<std::string> shared() const {
    switch (i_.code) {
      case Code::load_shared: return fmt::format("READ({}); {} = {};", i_.a, top(), load("0"));
      case Code::store_shared:
        return fmt::format("WRITE({}); ", i_.a) + range(s(0)) + store("0", s(0));
      case Code::load_indexed:
        return index(s(0), i_.b) +
               fmt::format("READ({} + {}); {} = {};", i_.a, s(0), s(0), load(s(0)));
      case Code::store_indexed:
        return index(s(1), i_.d) + fmt::format("WRITE({} + {}); ", i_.a, s(1)) + range(s(0)) +
               store(s(1), s(0));
      case Code::compare_and_swap:
        return index(s(2), i_.d) +
               fmt::format(
                   "WRITE({} + {}); if ({} == {}) {{ seen[{}] |= 3; {}{} {} = 1; }} "
                   "else {{ seen[{}] |= 5; {} = 0; }}",
                   i_.a, s(2), load(s(2)), s(1), ip_, range(s(0)), store(s(2), s(0)), s(2), ip_,
                   s(2));
      case Code::fetch_and_add:
      case Code::swap:
        return index(s(1), i_.d) +
               fmt::format("WRITE({} + {}); {{ i64 old = {}; {}{}{} {} = old; }}", i_.a, s(1),
                           load(s(1)),
                           i_.code == Code::fetch_and_add ? fmt::format("{} += old; ", s(0)) : "",
                           range(s(0)), store(s(1), s(0)), s(1));
      case Code::load_safe:
      case Code::load_regular:
      case Code::begin_write:
      case Code::end_write: return weak();
      case Code::link: return everything() + fmt::format("l[{}] = {} + 1;", i_.a, s(0));
      case Code::linked: return everything() + fmt::format("{0} = l[{1}] == {0} + 1;", s(0), i_.a);
      default: return {};
    }
  }

  std::string binary(const char* sign) const {
    return fmt::format("{0} = {0} {2} {1};", s(1), s(0), sign);
  }
  std::string arithmetic(const char* sign) const {
    return binary(sign) + fmt::format(" if ({0} > MOST || {0} < -MOST) return ASK;", s(1));
  }
  std::optional<std::string> number() const {
    switch (i_.code) {
      case Code::negate: return fmt::format("{0} = -{0};", s(0));
      case Code::invert: return fmt::format("{0} = !{0};", s(0));
      case Code::add: return arithmetic("+");
      case Code::subtract: return arithmetic("-");
      case Code::multiply: return arithmetic("*");
      case Code::divide: return fmt::format("if (!{}) return ASK; ", s(0)) + arithmetic("/");
      case Code::modulo: return fmt::format("if (!{}) return ASK; ", s(0)) + arithmetic("%");
      case Code::equal: return binary("==");
      case Code::different: return binary("!=");
      case Code::less: return binary("<");
      case Code::less_equal: return binary("<=");
      case Code::minimum: return fmt::format("if ({0} < {1}) {1} = {0};", s(0), s(1));
      case Code::maximum: return fmt::format("if ({0} > {1}) {1} = {0};", s(0), s(1));
      default: return {};
    }
  }

  std::string jump(const std::string& condition) const {
    return fmt::format(
        "{}{{ {}goto L{}; }}", condition,
        static_cast<std::uint32_t>(i_.a) <= ip_ ? "if (++turns > 1000) return ASK; " : "", i_.a);
  }
  std::optional<std::string> control() const {
    switch (i_.code) {
      case Code::choose:
        return fmt::format("if ({1} > {0}) return BLOCKED; if ({0} - {1} > 100000) return ASK; ",
                           s(0), s(1)) +
               choice(s(1), s(0)) + fmt::format("{} = c.taken[c.made++];", s(1));
      case Code::jump: return jump("");
      case Code::jump_if_false: return jump(fmt::format("if (!{}) ", s(0)));
      case Code::jump_if_true: return jump(fmt::format("if ({}) ", s(0)));
      case Code::await:
        return fmt::format("if (!{0}) {{ seen[{1}] |= 5; return BLOCKED; }} seen[{1}] |= 3;", s(0),
                           ip_);
      case Code::assertion: return fmt::format("if (!{}) return ASK;", s(0));
      case Code::linearize: return "++c.marks;";
      case Code::boundary: return fmt::format("return {};", i_.a);
      case Code::give_back:
        if (!i_.a) return "result = 0; return RETURNED;";
        return fmt::format(
            "result = {0}; if ({0} > MOST / 2 || {0} < -MOST / 2) return ASK; "
            "return RETURNED;",
            s(0));
      case Code::no_result: return "return ASK;";
      default: return {};
    }
  }

  const model::Program& p_;
  const Instruction& i_;
  const std::uint32_t ip_;
  const int depth_;
  const bool links_;  // some operation uses LL
};

}  // namespace

int stack_change(Code code) {
  switch (code) {
    case Code::push:
    case Code::duplicate:
    case Code::load_local:
    case Code::load_shared:
    case Code::self: return 1;
    case Code::pop:
    case Code::replace:
    case Code::link:
    case Code::begin_write:
    case Code::end_write:
    case Code::store_local:
    case Code::store_shared:
    case Code::fetch_and_add:
    case Code::swap:
    case Code::add:
    case Code::subtract:
    case Code::multiply:
    case Code::divide:
    case Code::modulo:
    case Code::equal:
    case Code::different:
    case Code::less:
    case Code::less_equal:
    case Code::minimum:
    case Code::maximum:
    case Code::choose:
    case Code::jump_if_false:
    case Code::jump_if_true:
    case Code::await:
    case Code::assertion: return -1;
    case Code::store_indexed:
    case Code::compare_and_swap: return -2;
    default: return 0;
  }
}

std::optional<std::string> statement(const model::Program& program, std::uint32_t ip, int depth) {
  return Statement(program, ip, depth).text();
}

}  // namespace plumb::native
