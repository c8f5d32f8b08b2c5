// SPDX-License-Identifier: MIT
// Partitions (Horn & Kroening, section 3 and Algorithm 3).
//
// A history is linearizable iff each object's sub-history is (locality), and, for a specification
// that is P-compositional, iff each key's sub-history is (Definition 6). The paper's Algorithm 3
// relinks one list into n (and must return the first entry of each, not the last); we know the
// sizes, so two passes over the events fill arrays.
//
// An operation that touches several keys (a transaction) joins their partitions; one that has no
// key (size, clear) joins all of its object. A stuck history is not split by key: whether an
// operation may block can depend on all of them.
#include "check/problem/partition.hpp"

#include <fmt/format.h>

#include "base/flat_index.hpp"
#include "spec/families.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>

namespace plumb {
namespace {

// What splits a label, beside the label itself.
struct Bound {
  ObjectId object;
  std::uint32_t key = kNone;  // one of its keys, as an index; kNone: the whole object
  bool pure = false;
};

class UnionFind {
 public:
  std::uint32_t add() {
    parent_.push_back(static_cast<std::uint32_t>(parent_.size()));
    return parent_.back();
  }
  std::uint32_t find(std::uint32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  void join(std::uint32_t a, std::uint32_t b) { parent_[find(a)] = find(b); }

 private:
  std::vector<std::uint32_t> parent_;
};

std::uint64_t combine(std::uint64_t a, std::uint64_t b) {
  return (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdu;
}

std::uint64_t hash_of(ObjectId object, const BoundLabel& label) {
  std::uint64_t h = combine(object, label.method);
  for (const Value v : label.args) h = combine(h, v.hash());
  return combine(h, label.known ? label.result.hash() : 1);
}
bool same(const BoundLabel& a, const BoundLabel& b) {
  return a.method == b.method && a.known == b.known && (!a.known || a.result == b.result) &&
         std::equal(a.args.begin(), a.args.end(), b.args.begin(), b.args.end());
}
struct PartKeyHash {
  std::size_t operator()(const std::pair<ObjectId, Value>& k) const {
    return combine(k.first, k.second.hash());
  }
};

std::string names_of_specifications() {
  std::string names;
  for (const Specification* s : all_specifications())
    names += (names.empty() ? "" : ", ") + s->name();
  return names;
}

class Partitioner {
 public:
  Partitioner(const History& history, const CheckOptions& options)
      : history_(history), options_(options) {}

  Result<Partitioning> run() {
    if (Status s = find_specifications(); !s.ok()) return std::move(s.error());
    if (Status s = bind(); !s.ok()) return std::move(s.error());
    split();
    fill();
    return std::move(result_);
  }

 private:
  Error error(std::string message, std::string remedy, std::uint32_t line = 0,
              ErrorKind kind = ErrorKind::bad_input) const {
    return {kind, std::move(message), std::move(remedy), history_.file, line};
  }

  Status find_specifications() {
    for (const Object& object : history_.objects) {
      const Specification* s = options_.specification;
      if (!s && object.specification.empty())
        return error(object.name.is_nil()
                         ? std::string("the history does not say what object it is of")
                         : fmt::format("the history does not say what object {} is",
                                       object.name.to_string()),
                     "add --spec NAME, one of: " + names_of_specifications());
      if (!s) s = find_specification(object.specification);
      if (!s)
        return error(fmt::format("unknown specification '{}'", object.specification),
                     "use --spec FILE.cpp or MODEL.plumb, or one of: " + names_of_specifications(),
                     1);
      note_refused_family(*s);
      specifications_.push_back(s);
      initials_.push_back(options_.initial ? options_.initial : object.initial);
      if (initials_.back())
        if (std::string why = s->reject_initial(*initials_.back()); !why.empty())
          return error(fmt::format("initial value of {}: {}", s->name(), why),
                       "see docs/specifications.md for initial values");
    }
    return {};
  }

  void note_refused_family(const Specification& s) {
    std::string note = refused_family_note(s);
    if (!note.empty() && std::count(result_.notes.begin(), result_.notes.end(), note) == 0)
      result_.notes.push_back(std::move(note));
  }

  // Binds the labels, each once for each object that uses it.
  Status bind() {
    const std::size_t n = history_.size();
    bound_of_.resize(n);
    FlatIndex known;
    labels_.reserve(history_.labels.size());
    bounds_.reserve(history_.labels.size());
    const bool one_object = history_.objects.size() == 1;
    std::vector<std::uint32_t> by_label(one_object ? history_.labels.size() : 0, kNone);
    std::unordered_map<std::uint64_t, std::uint32_t> by_object_and_label;
    for (OperationId op = 0; op < n; ++op) {
      const LabelId label = history_.label[op];
      const ObjectId object = history_.object[op];
      std::uint32_t& slot =
          one_object ? by_label[label]
                     : by_object_and_label.try_emplace(std::uint64_t{object} << 32 | label, kNone)
                           .first->second;
      if (slot == kNone) {
        BoundLabel fresh;
        if (Status s = bind_label(op, object, label, fresh); !s.ok()) return s;
        const auto next = static_cast<std::uint32_t>(bounds_.size());
        slot = known.find_or_insert(hash_of(object, fresh), next, [&](std::uint32_t i) {
          return bounds_[i].object == object && same(labels_[i], fresh);
        });
        if (slot == next) {
          labels_.push_back(fresh);
          bounds_.push_back({.object = object, .pure = specifications_[object]->pure(fresh)});
        }
      }
      bound_of_[op] = slot;
    }
    return {};
  }

  Status bind_label(OperationId op, ObjectId object, LabelId id, BoundLabel& out) {
    const Specification& spec = *specifications_[object];
    const Label& label = history_.labels[id];
    const Call call = history_.calls[label.call];
    const std::optional<MethodId> method = find_method(object, call.method);
    if (!method) {
      std::string names;
      for (const Method& m : spec.methods()) names += (names.empty() ? "" : ", ") + m.name;
      return error(fmt::format("unknown operation '{}' of {}", call.method, spec.name()),
                   "it has: " + names, history_.line[op]);
    }
    out = {*method, call.args, label.result, label.known};
    if (std::string why = spec.reject(out); !why.empty()) {
      const bool bad_result = label.known && spec.reject({*method, call.args, {}, false}).empty();
      return error(std::move(why),
                   "see docs/specifications.md for the operations of " + spec.name(),
                   bad_result ? history_.return_line[op] : history_.line[op]);
    }
    const Method& m = spec.methods()[*method];
    // An operation without result is the same label whether it returned or not.
    if (m.returns_nothing) out.result = Value::nil(), out.known = true;
    else if (m.nil_is_unrecorded && label.result.is_nil()) out.known = false;
    return {};
  }

  // Most operations have the method of one of the last few.
  std::optional<MethodId> find_method(ObjectId object, std::string_view name) {
    for (const KnownMethod& known : methods_)
      if (known.object == object && known.name == name) return known.method;
    const auto method = specifications_[object]->find(name);
    if (method) methods_[next_method_++ % methods_.size()] = {object, name, *method};
    return method;
  }

  void split() {
    whole_.assign(history_.objects.size(), !options_.partition || history_.stuck);
    const KeyIndex index = group_keys();
    if (history_.stuck && options_.partition)
      result_.notes.push_back("not split by key: the history is stuck");
    open_partitions();
    for (const auto& [key, at] : index)
      if (!whole_[key.first])
        result_.partitions[partition_of_group_[groups_.find(at)]].keys.push_back(key.second);
    for (Partition& p : result_.partitions) std::sort(p.keys.begin(), p.keys.end());
  }

  using KeyIndex = std::unordered_map<std::pair<ObjectId, Value>, std::uint32_t, PartKeyHash>;

  // Keys that one operation has together are in one group; an object with an operation without a
  // key stays whole.
  KeyIndex group_keys() {
    std::vector<bool> used(bounds_.size(), false);
    for (OperationId op = 0; op < history_.size(); ++op)
      // A pending operation that changes nothing decides nothing: it does not forbid a split.
      if (history_.returned(op) || history_.stuck || !bounds_[bound_of_[op]].pure)
        used[bound_of_[op]] = true;
    KeyIndex index;
    for (std::size_t b = 0; b < bounds_.size(); ++b) {
      Bound& bound = bounds_[b];
      if (whole_[bound.object]) continue;
      const std::vector<Value> keys = specifications_[bound.object]->keys(labels_[b]);
      if (keys.empty()) {
        const auto& methods = specifications_[bound.object]->methods();
        if (!used[b]) continue;
        whole_[bound.object] = true;
        const bool some_have_keys = std::any_of(
            methods.begin(), methods.end(), [](const Method& m) { return !m.key_args.empty(); });
        if (some_have_keys)
          result_.notes.push_back(
              fmt::format("not split by key: {} has none", methods[labels_[b].method].name));
        continue;
      }
      for (const Value key : keys) {
        const auto [at, fresh] = index.try_emplace({bound.object, key}, 0);
        if (fresh) {
          at->second = groups_.add();
          key_values_.push_back(key);
        }
        if (bound.key == kNone) bound.key = at->second;
        else groups_.join(bound.key, at->second);
      }
    }
    return index;
  }

  // One for each whole object and for each group of keys; and which one each label belongs to.
  void open_partitions() {
    std::vector<std::uint32_t> of_object(history_.objects.size(), kNone);
    partition_of_group_.assign(key_values_.size(), kNone);
    partition_of_bound_.assign(bounds_.size(), kNone);
    const auto fresh_partition = [&](ObjectId object) {
      Partition& p = result_.partitions.emplace_back();
      p.object = object;
      p.problem.specification = specifications_[object];
      p.problem.initial = initials_[object];
      p.problem.stuck = history_.stuck;
      return static_cast<std::uint32_t>(result_.partitions.size() - 1);
    };
    for (std::size_t b = 0; b < bounds_.size(); ++b) {
      const Bound& bound = bounds_[b];
      if (whole_[bound.object]) {
        std::uint32_t& p = of_object[bound.object];
        if (p == kNone) p = fresh_partition(bound.object);
        partition_of_bound_[b] = p;
      } else if (bound.key != kNone) {
        std::uint32_t& p = partition_of_group_[groups_.find(bound.key)];
        if (p == kNone) p = fresh_partition(bound.object);
        partition_of_bound_[b] = p;
      }
    }
  }

  void fill() {
    const std::size_t n = history_.size();
    std::vector<std::uint32_t> sizes(result_.partitions.size(), 0), local(n, kNone);
    for (OperationId op = 0; op < n; ++op)
      if (const std::uint32_t p = partition_of_bound_[bound_of_[op]]; p != kNone)
        local[op] = sizes[p]++;
    for (std::size_t p = 0; p < sizes.size(); ++p) {
      result_.partitions[p].problem.ops.reserve(sizes[p]);
      result_.partitions[p].problem.events.reserve(2 * std::size_t{sizes[p]});
    }
    // Labels are numbered by their first operation, so a partition that has them all takes them as
    // they are.
    const bool one = result_.partitions.size() == 1 && sizes[0] == n;
    std::vector<std::uint32_t> local_label(one ? 0 : bounds_.size(), kNone);
    if (one) {
      Problem& problem = result_.partitions[0].problem;
      problem.labels = std::move(labels_);
      for (const Bound& bound : bounds_) problem.pure.push_back(bound.pure);
    }
    for (const Event event : history_.events) {
      const OperationId op = event.operation();
      const std::uint32_t b = bound_of_[op];
      if (partition_of_bound_[b] == kNone) continue;
      Problem& problem = result_.partitions[partition_of_bound_[b]].problem;
      const auto position = static_cast<std::uint32_t>(problem.events.size());
      problem.events.push_back(Event(local[op], event.is_return()));
      if (event.is_return()) {
        problem.ops[local[op]].ret = position;
        continue;
      }
      if (!one && local_label[b] == kNone) {
        local_label[b] = static_cast<std::uint32_t>(problem.labels.size());
        problem.labels.push_back(labels_[b]);
        problem.pure.push_back(bounds_[b].pure);
      }
      Problem::Op o;
      o.label = one ? b : local_label[b];
      o.call = position;
      o.source = op;
      o.judged = history_.stuck && history_.fate[op] == Fate::pending;
      if (const OperationId before = history_.after_of(op); before != kNone) {
        if (partition_of_bound_[bound_of_[before]] == partition_of_bound_[b])
          o.after = local[before];
        else result_.linked = true;
      }
      problem.ops.push_back(o);
    }
  }

  const History& history_;
  const CheckOptions& options_;
  std::vector<const Specification*> specifications_;  // by object
  std::vector<std::optional<Value>> initials_;
  struct KnownMethod {
    ObjectId object = kNone;
    std::string_view name;
    MethodId method = 0;
  };
  std::array<KnownMethod, 8> methods_;
  std::size_t next_method_ = 0;
  std::vector<BoundLabel> labels_;                 // each once for each object
  std::vector<Bound> bounds_;                      // of `labels_`
  std::vector<std::uint32_t> bound_of_;            // by operation
  std::vector<std::uint32_t> partition_of_bound_;  // a label with its arguments has one partition
  std::vector<bool> whole_;                        // by object: not split by key
  std::vector<std::uint32_t> partition_of_group_;  // of keys
  UnionFind groups_;
  std::vector<Value> key_values_;
  Partitioning result_;
};

}  // namespace

Result<Partitioning> make_partitions(const History& history, const CheckOptions& options) {
  return Partitioner(history, options).run();
}

}  // namespace plumb
