// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>

#include "spec/cells.hpp"
#include "spec/specifications.hpp"

namespace plumb {
namespace {

/// One read or write of a transaction: [f, k, v].
struct Access {
  bool writes = false;
  Value key;
  Value value;
};

}  // namespace

template <>
struct Convert<Access> {
  static bool is(Value f, std::string_view letter, std::string_view word) {
    return f.is_string() && (f.as_text() == letter || f.as_text() == word);
  }
  static std::string refuse(Value v) {
    if (v.is_list()) {
      const auto items = v.as_list();
      if ((items.size() == 2 || items.size() == 3) && is(items[0], "r", "read")) return {};
      if (items.size() == 3 && is(items[0], "w", "write")) return {};
    }
    return "[\"r\", k], [\"r\", k, v] or [\"w\", k, v]";
  }
  static Access from(Value v) {
    const auto items = v.as_list();
    return {is(items[0], "w", "write"), items[1], items.size() == 3 ? items[2] : Value::nil()};
  }
  static Value to(const Access& a) {
    return Value::list({Value::string(a.writes ? "w" : "r"), a.key, a.value});
  }
};

namespace {

using Transaction = std::vector<Access>;

struct MultiRegister {
  Value initial;
  std::map<Value, Value> cells;  // those that differ from the initial value

  MultiRegister() = default;
  explicit MultiRegister(Value initial) : initial(initial) {}
  auto state() const { return std::tie(cells); }

  Value read(Value k) const {
    const auto at = cells.find(k);
    return at == cells.end() ? initial : at->second;
  }
  void write(Value k, Value v) {
    if (v == initial) cells.erase(k);
    else cells[k] = v;
  }
  Transaction txn(Transaction ops) {
    for (Access& op : ops) {
      if (op.writes) write(op.key, op.value);
      else op.value = read(op.key);
    }
    return ops;
  }
};

std::vector<Value> keys_of(std::span<const Value> args) {
  std::vector<Value> keys;
  for (const Access& op : Convert<Transaction>::from(args[0])) keys.push_back(op.key);
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

bool only_reads(std::span<const Value> args, Value) {
  const Transaction ops = Convert<Transaction>::from(args[0]);
  return std::none_of(ops.begin(), ops.end(), [](const Access& op) { return op.writes; });
}

}  // namespace

const Specification& multi_register_specification() {
  // A transaction adds several values at once, which Traffic cannot say: so no initial_values,
  // and nothing is concluded from the reads.
  static const auto spec = describe<MultiRegister>("multi-register")
                               .family(Family::multi_register)
                               .method("read", &MultiRegister::read)
                               .role(Role::reads)
                               .arguments("k")
                               .alias("get")
                               .key(0)
                               .result("the value")
                               .method("write", &MultiRegister::write)
                               .role(Role::writes)
                               .arguments("k", "v")
                               .alias("set", "put")
                               .key(0)
                               .method("txn", &MultiRegister::txn)
                               .arguments("ops")
                               .alias("transaction")
                               .keys(keys_of, "every k in ops")
                               .pure_when(only_reads, "if it only reads")
                               .result("ops with the values read");
  return spec;
}

}  // namespace plumb
