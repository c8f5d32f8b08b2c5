// SPDX-License-Identifier: MIT
// Byte code to C++. Every place where a process can stand, and every operation's entry, becomes a
// function that runs from there to the next boundary: its instructions are reached from the entry,
// each is a labelled statement, and the stack is a variable for each depth, which is the same on
// all ways to an instruction (statement.cpp). The text needs no header, so it is compiled in a
// moment.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "model/native/native.hpp"
#include "model/native/statement.hpp"

namespace plumb::native {
namespace {

using model::Code;
using model::Field;
using model::Instruction;
using model::Point;
using model::Program;

constexpr const char* kPrelude = R"(typedef unsigned long u64;
typedef long i64;
typedef unsigned u32;
typedef unsigned char u8;
struct Step { u32 kind, call; int result; u32 marks; };
struct Choices { u32 count, made, marks; i64 taken[16], last[16]; };
enum { RETURNED = -1, BLOCKED = -2, ASK = -3 };
const i64 MOST = 2000000000;
#define READ(cell) if (reads) reads[(cell) / 64] |= 1ul << (cell) % 64
#define WRITE(cell) if (writes) writes[(cell) / 64] |= 1ul << (cell) % 64
static inline i64 get(const u64* o, u32 word, u32 shift, u64 mask, i64 low) {
  return (i64)(o[word] >> shift & mask) + low;
}
static inline void put(u64* o, u32 word, u32 shift, u64 mask, i64 value) {
  o[word] = (o[word] & ~(mask << shift)) | (u64)value << shift;
}
static inline bool next_choice(Choices& c) {
  c.count = c.made;
  while (c.count && c.taken[c.count - 1] == c.last[c.count - 1]) --c.count;
  if (!c.count) return false;
  ++c.taken[c.count - 1];
  return true;
}
)";

class Translator {
 public:
  explicit Translator(const Program& program) : p_(program) {
    for (const model::Op& op : program.ops) {
      marked_.insert(op.entry);
      links_ = links_ || !op.links.empty();
    }
    for (const model::Statement& s : program.statements) marked_.insert(s.first);
  }

  std::optional<std::string> run() {
    // To number nodes anew takes ten times as long as to run the code, which would gain little.
    if (sizeof(unsigned long) != 8 || !p_.pools.empty()) return {};
    out_ = kPrelude;
    tables();
    written();
    for (const model::Op& op : p_.ops)
      if (!function(op.entry)) return {};
    for (const Point& point : p_.points)
      if (point.kind == Point::inside && !function(point.ip + 1)) return {};
    for (const model::Op& invariant : p_.invariants)
      if (!function(invariant.entry)) return {};
    finish();
    steps();
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    out_ += fmt::format(format, std::forward<Args>(args)...);
    out_ += '\n';
  }
  template <class Of>
  void table(const char* type, const char* name, std::size_t size, Of of) {
    std::string list;
    for (std::size_t i = 0; i < size; ++i) list += fmt::format("{},", of(i));
    line("static const {} {}[] = {{{}0}};", type, name, list);
  }
  const Field& field(std::size_t cell) const { return p_.layout.fields[cell]; }
  const Field& field(std::uint32_t process, std::size_t offset) const {
    return field(p_.block_of(process) + offset);
  }

  void tables() {
    const std::size_t shared = p_.initial_shared.size(), processes = p_.processes();
    table("u32", "shared_word", shared, [&](std::size_t i) { return field(i).word; });
    table("u32", "shared_shift", shared, [&](std::size_t i) { return field(i).shift; });
    table("u32", "block_word", processes, [&](std::size_t i) { return p_.layout.blocks[i].word; });
    table("u32", "block_shift", processes,
          [&](std::size_t i) { return p_.layout.blocks[i].shift; });
    table("u32", "class_of", processes, [&](std::size_t i) { return p_.class_of[i]; });
    for (const auto& [name, offset] : {std::pair{"place", 1}, std::pair{"left", 2}}) {
      const auto of = [&, o = offset](auto member) {
        return [this, o, member](std::size_t i) {
          return field(static_cast<std::uint32_t>(i), static_cast<std::size_t>(o)).*member;
        };
      };
      table("u32", fmt::format("{}_word", name).c_str(), processes, of(&Field::word));
      table("u32", fmt::format("{}_shift", name).c_str(), processes, of(&Field::shift));
      table("u64", fmt::format("{}_mask", name).c_str(), processes, of(&Field::mask));
    }
    table("u64", "live", p_.points.size(), [&](std::size_t i) { return p_.points[i].live; });
    table("u32", "return_point", p_.ops.size(),
          [&](std::size_t i) { return p_.ops[i].return_point; });
  }

  /// A slot of the frame, as arguments of get() and put(). It is at the same place in all blocks.
  std::string slot_place(std::size_t offset) const {
    const Field& f = field(0, offset);
    const model::PackedBlock& b = p_.layout.blocks[0];
    return fmt::format("block_word[p] + {}, block_shift[p] + {}, {}ul", f.word - b.word,
                       f.mask ? f.shift - b.shift : 0, f.mask);
  }

  // A process that has read this cell with LL must not succeed with SC any more. The locals of the
  // process that runs are not in the state.
  void written() {
    line("static inline void written(u64* o, u32 self, i64* l, i64 cell) {{");
    if (links_) {
      table("int", "inside", p_.points.size(), [&](std::size_t i) {
        return p_.points[i].kind == Point::inside ? static_cast<int>(p_.points[i].op) : -1;
      });
      line("  for (u32 p = 0; p < {}; ++p)", p_.processes());
      line("    switch (inside[get(o, {}, 0)]) {{", slot_place(0));
      for (std::size_t op = 0; op < p_.ops.size(); ++op) {
        if (p_.ops[op].links.empty()) continue;
        line("      case {}: {{", op);
        for (const model::Link& link : p_.ops[op].links) {
          const auto slot = static_cast<std::size_t>(link.slot);
          line(
              "        if (cell >= {0} && (p == self ? l[{1}] : get(o, {2}, {3})) == cell - {0} + "
              "1)",
              link.first, slot, slot_place(3 + slot), field(0, 3 + slot).low);
          line("          {{ if (p == self) l[{}] = 0; else put(o, {}, {}); }}", slot,
               slot_place(3 + slot), -field(0, 3 + slot).low);
        }
        line("        break; }}");
      }
      line("    }}");
    }
    line("}}");
  }

  // One run, from an instruction to the next boundary.
  bool function(std::uint32_t entry) {
    if (!done_.emplace(entry, true).second) return true;
    std::map<std::uint32_t, int> depths = {{entry, 0}};
    std::vector<std::uint32_t> open = {entry};
    int deepest = 0;
    while (!open.empty()) {
      const std::uint32_t ip = open.back();
      open.pop_back();
      const Instruction& i = p_.code[ip];
      const int after = depths[ip] + stack_change(i.code);
      deepest = std::max({deepest, depths[ip], after});
      const auto go = [&](std::uint32_t to) {
        if (depths.emplace(to, after).second) open.push_back(to);
      };
      if (i.code == Code::jump || i.code == Code::jump_if_false || i.code == Code::jump_if_true)
        go(static_cast<std::uint32_t>(i.a));
      if (i.code != Code::jump && i.code != Code::boundary && i.code != Code::give_back &&
          i.code != Code::no_result)
        go(ip + 1);
    }
    line(
        "static int run_{}(u64* o, u32 p, i64* l, Choices& c, i64& result, u64* reads, "
        "u64* writes, u8* seen) {{",
        entry);
    for (int d = 0; d <= deepest; ++d) line("  i64 s{} = 0;", d);
    line("  u32 turns = 0;");
    line("  goto L{};", entry);
    for (const auto& [ip, depth] : depths) {
      const std::optional<std::string> text = statement(p_, ip, depth);
      if (!text) return false;
      line("L{}: {}{}", ip, marked_.contains(ip) ? fmt::format("seen[{}] |= 1; ", ip) : "", *text);
      // The next one in the text may be another one.
      const Code code = p_.code[ip].code;
      if (code != Code::jump && code != Code::boundary && code != Code::give_back &&
          code != Code::no_result)
        line("  goto L{};", ip + 1);
    }
    line("}}");
    return true;
  }

  // Where the process stands after a run: its point, its private variables, and the locals that are
  // alive there.
  void finish() {
    line("static bool finish(u64* o, u32 p, const i64* l, int end, u32 op, i64 result) {{");
    line("  const u32 point = end >= 0 ? end : return_point[op];");
    line("  const u64 alive = end >= 0 ? live[end] : 0;");
    line("  put(o, {}, point);", slot_place(0));
    std::string returns;
    for (std::size_t op = 0; op < p_.ops.size(); ++op)
      if (p_.ops[op].returns_value) returns += fmt::format(" || op == {}", op);
    for (std::size_t slot = 0; slot < p_.frame; ++slot) {
      const Field& f = field(0, 3 + slot);
      if (slot < p_.first_local()) line("  {{ i64 v = l[{}];", slot);
      else line("  {{ i64 v = alive >> {} & 1 ? l[{}] : 0;", slot, slot);
      if (slot == p_.first_local()) line("    if (end < 0 && (false{})) v = result;", returns);
      line("    v -= {};", f.low);
      line("    if ((u64)v > {}ul) return false;", f.mask);
      line("    put(o, {}, v); }}", slot_place(3 + slot));
    }
    line("  return true;");
    line("}}");
  }

  void run_and_add(const std::string& before, const std::string& run, const std::string& op,
                   const std::string& step) {
    line("      c.count = 0;");
    line("      do {{");
    line("        if (n == {}) return {}u;", kRoom, kAsk);
    line("        u64* o = states + n * {};", p_.layout.words);
    for (std::uint32_t w = 0; w < p_.layout.words; ++w) line("        o[{0}] = words[{0}];", w);
    line("        c.made = c.marks = 0;");
    line("        {}", before);
    line("        const int end = {};", run);
    line("        if (end == ASK) return {}u;", kAsk);
    line("        if (end != BLOCKED) {{");
    line("          if (end == RETURNED) returned[{}] = 1;", op);
    line("          if (!finish(o, p, l, end, {}, result)) return {}u;", op, kAsk);
    for (const model::Op& invariant : p_.invariants)
      line(
          "          if (run_{}(o, 0, l, none, result, reads, writes, seen) != RETURNED || "
          "!result) "
          "return {}u;",
          invariant.entry, kAsk);
    line("          steps[n++] = {};", step);
    line("        }}");
    line("      }} while (next_choice(c));");
  }

  /// A slot as it was before the step.
  std::string keep(std::size_t slot) const {
    return fmt::format("l[{}] = get(words, {}, {}); ", slot, slot_place(3 + slot),
                       field(0, 3 + slot).low);
  }

  /// The call of the function that runs from an instruction on.
  static std::string run_from(std::uint32_t entry) {
    return fmt::format("run_{}(o, p, l, c, result, reads, writes, seen)", entry);
  }

  void steps() {
    line(
        "extern \"C\" u32 plumb_steps(const u64* words, u32 p, Step* steps, u64* states, "
        "u64* reads, u64* writes, u8* seen, u8* returned) {{");
    line("  u32 n = 0;");
    line("  i64 l[{}], result = 0;", p_.frame + 1);
    line("  Choices c, none;");
    line("  none.count = none.made = 0;");
    line("  switch (get(words, {}, 0)) {{", slot_place(0));
    line("    case 0: {{");
    line("      const i64 place = get(words, place_word[p], place_shift[p], place_mask[p], 0);");
    line("      const i64 left = get(words, left_word[p], left_shift[p], left_mask[p], 0);");
    for (std::size_t k = 0; k < p_.classes.size(); ++k)
      for (std::size_t at = 0; at < p_.classes[k].steps.size(); ++at) calls(k, at);
    line("      return n; }}");
    for (std::size_t k = 1; k < p_.points.size(); ++k) {
      line("    case {}: {{", k);
      if (p_.points[k].kind == Point::inside) step_from(p_.points[k]);
      else return_from(p_.points[k]);
      line("      return n; }}");
    }
    line("  }}");
    line("  return {}u;", kAsk);
    line("}}");
  }

  /// What clients of a class may call at one place of their sequence.
  void calls(std::size_t number, std::size_t place) {
    const model::ClientClass& c = p_.classes[number];
    line("      if (class_of[p] == {} && place == {}) {{", number, place);
    if (c.at_most) line("      if (left == 0) return 0;");
    for (const model::CallNumber call_number : c.steps[place]) {
      const model::ConcreteCall& call = p_.calls[call_number];
      const auto initial = [&](std::size_t local) {
        return local < call.args.size() ? call.args[local] : 0;
      };
      std::string before;
      for (std::size_t slot = 0; slot < p_.frame; ++slot)
        before += slot < p_.first_local()
                      ? keep(slot)
                      : fmt::format("l[{}] = {}; ", slot, initial(slot - p_.first_local()));
      before += fmt::format("put(o, place_word[p], place_shift[p], place_mask[p], {}); ",
                            (place + 1) % c.steps.size());
      if (c.at_most) before += "put(o, left_word[p], left_shift[p], left_mask[p], left - 1);";
      run_and_add(before, run_from(p_.ops[call.op].entry), std::to_string(call.op),
                  fmt::format("Step{{0, {}, 0, c.marks}}", call_number));
    }
    line("      }}");
  }

  void step_from(const Point& point) {
    std::string before;
    for (std::size_t slot = 0; slot < p_.frame; ++slot) before += keep(slot);
    run_and_add(before, run_from(point.ip + 1), std::to_string(point.op), "Step{1, 0, 0, c.marks}");
  }

  void return_from(const Point& point) {
    for (std::uint32_t w = 0; w < p_.layout.words; ++w) line("      states[{0}] = words[{0}];", w);
    if (p_.ops[point.op].returns_value)
      line("      result = get(words, {}, {});", slot_place(3 + p_.first_local()),
           field(0, 3 + p_.first_local()).low);
    line("      put(states, {}, 0);", slot_place(0));
    for (std::size_t slot = p_.first_local(); slot < p_.frame; ++slot)
      line("      put(states, {}, {});", slot_place(3 + slot), -field(0, 3 + slot).low);
    line("      steps[n++] = Step{{2, {}, (int)result, 0}};", point.op);
  }

  const Program& p_;
  std::string out_;
  std::map<std::uint32_t, bool> done_;  // functions, by entry
  std::set<std::uint32_t> marked_;      // instructions whose being reached is noted
  bool links_ = false;                  // some operation uses LL
};

}  // namespace

std::optional<std::string> translate(const Program& program) { return Translator(program).run(); }

}  // namespace plumb::native
