// SPDX-License-Identifier: MIT
#include "plumb/value.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "history/print.hpp"

namespace plumb {

// One node for each distinct value that does not fit into a word. Nodes are never freed: values
// are handed around freely and compared by address.
struct alignas(8) Value::Node {
  Kind kind;
  std::uint64_t hash;
  std::uint64_t word;  // wide integer, or the bits of a real
  std::string text;    // string, opaque
  std::vector<Value> items;

  bool same(Kind k, std::string_view t, std::span<const Value> l, std::uint64_t w) const {
    return kind == k && word == w && text == t && items.size() == l.size() &&
           std::equal(items.begin(), items.end(), l.begin());
  }
};

namespace {

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

std::atomic<std::size_t> g_interned_bytes{0};

// Sharded by hash, so that threads that intern different values seldom meet.
template <class Node>
struct Shard {
  std::mutex mutex;
  std::vector<Node*> slots = std::vector<Node*>(64, nullptr);
  std::deque<Node> nodes;
};

template <class Node>
std::array<Shard<Node>, 16>& shards() {
  static auto* all = new std::array<Shard<Node>, 16>;  // outlives every static destructor
  return *all;
}

// NaN comes after all numbers.
std::weak_ordering compare_reals(double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) <=> std::isnan(y);
  return x < y   ? std::weak_ordering::less
         : x > y ? std::weak_ordering::greater
                 : std::weak_ordering::equivalent;
}

// A double cannot tell large integers apart, so the integer is not made one.
int compare_exactly(double real, std::int64_t integer) {
  if (std::isnan(real) || real >= 0x1p63) return 1;
  if (real < -0x1p63) return -1;
  const double whole = std::floor(real);
  const auto floor = static_cast<std::int64_t>(whole);
  if (floor != integer) return floor < integer ? -1 : 1;
  return real > whole ? 1 : 0;
}

void append(std::string& out, Value v) {
  char buffer[32];
  switch (v.kind()) {
    case Value::Kind::nil: out += "null"; break;
    case Value::Kind::boolean: out += v.as_boolean() ? "true" : "false"; break;
    case Value::Kind::integer:
      out.append(buffer, std::to_chars(buffer, buffer + 32, v.as_integer()).ptr);
      break;
    case Value::Kind::real: append_json_real(out, v.as_real()); break;
    case Value::Kind::string: append_json_string(out, v.as_text()); break;
    case Value::Kind::opaque: out += v.as_text(); break;
    case Value::Kind::list: {
      out += '[';
      bool first = true;
      for (const Value item : v.as_list()) {
        if (!std::exchange(first, false)) out += ',';
        append(out, item);
      }
      out += ']';
    }
  }
}

}  // namespace

void append_json_real(std::string& out, double d) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + 32, d).ptr;
  const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  out += text;
  if (text.find_first_of(".en") == std::string_view::npos) out += ".0";
}

void append_json_string(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') (out += '\\') += c;
    else if (c == '\n') out += "\\n";
    else if (c == '\t') out += "\\t";
    else if (c == '\r') out += "\\r";
    else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\u00";
      out += kHex[(c >> 4) & 15];
      out += kHex[c & 15];
    } else out += c;
  }
  out += '"';
}

Value Value::intern(Kind kind, std::uint64_t hash, std::string_view text,
                    std::span<const Value> items, std::uint64_t word) {
  Shard<Node>& shard = shards<Node>()[hash >> 60];
  const std::lock_guard lock(shard.mutex);
  std::size_t mask = shard.slots.size() - 1;
  std::size_t i = hash & mask;
  while (shard.slots[i]) {
    const Node& node = *shard.slots[i];
    if (node.hash == hash && node.same(kind, text, items, word))
      return Value(reinterpret_cast<std::uint64_t>(&node) | kNode);
    i = (i + 1) & mask;
  }
  shard.nodes.push_back(Node{kind, hash, word, std::string(text), {items.begin(), items.end()}});
  g_interned_bytes.fetch_add(sizeof(Node) + 16 + text.size() + items.size_bytes(),
                             std::memory_order_relaxed);
  shard.slots[i] = &shard.nodes.back();
  if (shard.nodes.size() * 2 > shard.slots.size()) {
    std::vector<Node*> larger(shard.slots.size() * 2, nullptr);
    mask = larger.size() - 1;
    for (Node& node : shard.nodes) {
      std::size_t at = node.hash & mask;
      while (larger[at]) at = (at + 1) & mask;
      larger[at] = &node;
    }
    shard.slots.swap(larger);
  }
  return Value(reinterpret_cast<std::uint64_t>(&shard.nodes.back()) | kNode);
}

Value Value::wide_integer(std::int64_t i) {
  const auto word = static_cast<std::uint64_t>(i);
  return intern(Kind::integer, mix(word ^ 0x5151), {}, {}, word);
}

Value Value::real(double d) {
  // Integers and whole reals are different values; all NaNs are one value, and so are both zeros.
  const std::uint64_t word =
      std::isnan(d) ? 0x7ff8000000000000u : std::bit_cast<std::uint64_t>(d == 0 ? 0.0 : d);
  return intern(Kind::real, mix(word ^ 0x7272), {}, {}, word);
}

Value Value::string(std::string_view text) {
  return intern(Kind::string, mix(XXH3_64bits(text.data(), text.size()) + 1), text, {}, 0);
}

Value Value::opaque(std::string_view text) {
  return intern(Kind::opaque, mix(XXH3_64bits(text.data(), text.size()) + 2), text, {}, 0);
}

Value Value::list(std::span<const Value> items) {
  std::uint64_t hash = 0x9191 + items.size();
  for (const Value item : items) hash = mix(hash ^ item.hash()) + 1;
  return intern(Kind::list, hash, {}, items, 0);
}

Value::Kind Value::kind() const {
  switch (bits_ & 7) {
    case 0: return Kind::nil;
    case kBoolean: return Kind::boolean;
    case kInteger: return Kind::integer;
    default: return node()->kind;
  }
}

std::int64_t Value::as_wide_integer() const { return static_cast<std::int64_t>(node()->word); }
double Value::as_real() const { return std::bit_cast<double>(node()->word); }
std::string_view Value::as_text() const { return node()->text; }
std::span<const Value> Value::as_list() const { return node()->items; }
std::uint64_t Value::hash() const { return (bits_ & 7) == kNode ? node()->hash : mix(bits_ + 1); }
std::size_t Value::interned_bytes() { return g_interned_bytes.load(std::memory_order_relaxed); }

std::string Value::to_string() const {
  std::string out;
  append(out, *this);
  return out;
}

std::string Value::quoted(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

std::strong_ordering Value::compare(Value other) const {
  const std::weak_ordering by_number = compare_numbers(*this, other);
  if (by_number != 0)
    return by_number < 0 ? std::strong_ordering::less : std::strong_ordering::greater;
  if (bits_ == other.bits_) return std::strong_ordering::equal;
  if (kind() != other.kind()) return kind() <=> other.kind();  // 1 and 1.0
  const auto x = as_list(), y = other.as_list();
  return std::lexicographical_compare_three_way(x.begin(), x.end(), y.begin(), y.end());
}

std::weak_ordering compare_numbers(Value a, Value b) {
  using Kind = Value::Kind;
  if (a == b) return std::weak_ordering::equivalent;
  const Kind x = a.kind(), y = b.kind();
  if (x == Kind::integer && y == Kind::real)
    return 0 <=> compare_exactly(b.as_real(), a.as_integer());
  if (x == Kind::real && y == Kind::integer)
    return compare_exactly(a.as_real(), b.as_integer()) <=> 0;
  if (x != y) return x <=> y;
  switch (x) {
    case Kind::boolean: return a.as_boolean() <=> b.as_boolean();
    case Kind::integer: return a.as_integer() <=> b.as_integer();
    case Kind::real: return compare_reals(a.as_real(), b.as_real());
    case Kind::string:
    case Kind::opaque: return a.as_text().compare(b.as_text()) <=> 0;
    case Kind::list: {
      const auto i = a.as_list(), j = b.as_list();
      return std::lexicographical_compare_three_way(i.begin(), i.end(), j.begin(), j.end(),
                                                    compare_numbers);
    }
    default: return std::weak_ordering::equivalent;
  }
}

}  // namespace plumb
