// SPDX-License-Identifier: MIT
#include "model/code/names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/syntax/diagnostic.hpp"

namespace plumb::model {

Type integer_type(std::int64_t low, std::int64_t high) {
  return {Type::integer, 0, static_cast<Cell>(std::clamp<std::int64_t>(low, kLow, kHigh)),
          static_cast<Cell>(std::clamp<std::int64_t>(high, kLow, kHigh))};
}

std::set<std::string> Names::declare_constants(const ModelText& model, const Settings& settings) {
  std::set<std::string> unknown;
  std::vector<bool> used(settings.size(), false);
  for (const ConstText& c : model.constants) {
    std::int64_t value = constant(*c.value);
    for (std::size_t i = 0; i < settings.size(); ++i)
      if (settings[i].first == c.name) {
        value = settings[i].second;
        used[i] = true;
      }
    declare(c.place, c.name,
            {Symbol::constant, static_cast<Cell>(value), integer_type(value, value), {}});
    constant_values_.emplace_back(c.name, value);
  }
  for (std::size_t i = 0; i < settings.size(); ++i)
    if (!used[i]) unknown.insert(settings[i].first);
  return unknown;
}

void Names::declare_enumerations(const ModelText& model) {
  for (const EnumText& e : model.enumerations) {
    const auto id = static_cast<std::uint32_t>(enumerations_.size());
    const Type type = {Type::enumeration, id, 0, static_cast<Cell>(e.values.size()) - 1};
    enumerations_.emplace_back();
    if (enumeration_ids_.contains(e.name) || find(e.name))
      reject(e.place, fmt::format("'{}' is declared already", e.name), "choose another name");
    enumeration_ids_[e.name] = id;
    for (const auto& [name, place] : e.values) {
      declare(place, name, {Symbol::value, static_cast<Cell>(enumerations_[id].size()), type, {}});
      enumerations_[id].push_back(name);
    }
  }
}

void Names::new_type(const FieldsText& text) {
  const auto same = [&](const auto& other) { return other.name == text.name; };
  if (enumeration_ids_.contains(text.name) || std::any_of(records_.begin(), records_.end(), same) ||
      std::any_of(pools_.begin(), pools_.end(), same) || find(text.name))
    reject(text.place, fmt::format("'{}' is declared already", text.name), "choose another name");
  for (std::size_t i = 0; i < text.fields.size(); ++i) {
    const ParameterText& field = text.fields[i];
    for (std::size_t j = 0; j < i; ++j)
      if (text.fields[j].name == field.name)
        reject(field.place, fmt::format("a second field '{}'", field.name), "choose another name");
    if (!field.type)
      reject(field.place, fmt::format("field '{}' has no type", field.name),
             fmt::format("say which values it may have: {} : 0..3", field.name));
  }
}

void Names::declare_records(const ModelText& model) {
  for (const FieldsText& text : model.records) {
    new_type(text);
    if (text.count)
      reject(text.count->place, "a record is not counted", "leave the number out; nodes have one");
    RecordType record;
    record.name = text.name;
    std::int64_t values = 1;
    for (const ParameterText& field : text.fields) {
      Variable v;
      v.name = field.name;
      v.type = scalar_type(*field.type);
      v.first = static_cast<Cell>(values);
      values *= std::int64_t{v.type.high} - v.type.low + 1;
      if (values > kHigh)
        reject(field.place, fmt::format("'{}' has too many values", text.name),
               "a record has at most 1000000000");
      record.fields.push_back(std::move(v));
    }
    records_.push_back(std::move(record));
  }
}

void Names::declare_records_and_nodes(const ModelText& model, Program& program) {
  constexpr std::int64_t kMostNodes = 64;
  // All names first: nodes may point to nodes that are declared below, and records to nodes.
  for (const FieldsText& text : model.nodes) {
    new_type(text);
    const std::int64_t count = constant(*text.count);
    if (count < 1 || count > kMostNodes)
      reject(text.count->place, fmt::format("{} nodes", count), fmt::format("1 to {}", kMostNodes));
    Pool pool;
    pool.name = text.name;
    pool.size = static_cast<Cell>(count);
    pools_.push_back(std::move(pool));
  }
  declare_records(model);
  program.records = records_;
  const auto array = [&](const std::string& name, const Type& type, Cell size) {
    Variable v;
    v.name = name;
    v.type = type;
    v.first = static_cast<Cell>(program.initial_shared.size());
    v.size = size;
    v.array = true;
    program.initial_shared.insert(program.initial_shared.end(), static_cast<std::size_t>(size),
                                  std::clamp(0, type.low, type.high));
    return v;
  };
  program.collected = collected = !model.frees;
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    Pool& pool = pools_[i];
    for (const ParameterText& field : model.nodes[i].fields) {
      Variable v = array(pool.name, scalar_type(*field.type), pool.size);
      v.field = field.name;
      pool.fields.push_back(v);
      program.shared.push_back(std::move(v));
    }
    const Variable waiting =
        array("", integer_type(0, program.collected ? 1 : pool.size), pool.size);
    pool.waiting = waiting.first;
    for (Cell node = 0; node < pool.size; ++node)
      program
          .initial_shared[static_cast<std::size_t>(pool.waiting) + static_cast<std::size_t>(node)] =
          program.collected ? 1 : node + 1;
    program.shared.push_back(waiting);
  }
  program.pools = pools_;
}

std::uint32_t Names::pool(Place place, const std::string& name) const {
  for (std::size_t i = 0; i < pools_.size(); ++i)
    if (pools_[i].name == name) return static_cast<std::uint32_t>(i);
  reject(place, fmt::format("there are no nodes '{}'", name),
         fmt::format("declare them: node {}[4] {{ value : 0..3, next : *{} }}", name, name));
}

std::optional<std::uint32_t> Names::record(const std::string& name) const {
  for (std::size_t i = 0; i < records_.size(); ++i)
    if (records_[i].name == name) return static_cast<std::uint32_t>(i);
  return {};
}

const Variable& Names::field(Place place, const Type& type, const std::string& name) const {
  if ((type.kind != Type::record && type.kind != Type::pointer) || type.id == kAnyPool)
    reject(place, fmt::format("a {} has no fields", words(type)),
           "only records and nodes have fields");
  const bool record = type.kind == Type::record;
  const std::vector<Variable>& all = record ? records_[type.id].fields : pools_[type.id].fields;
  std::string known;
  for (const Variable& v : all) {
    const std::string& called = record ? v.name : v.field;
    if (called == name) return v;
    known += (known.empty() ? "" : ", ") + called;
  }
  reject(place,
         fmt::format("'{}' has no field '{}'",
                     record ? records_[type.id].name : pools_[type.id].name, name),
         fmt::format("its fields are {}", known));
}

bool Names::has_names(const Type& type) const {
  if (type.kind == Type::pointer || type.kind == Type::process) return true;
  if (type.kind != Type::record) return false;
  const std::vector<Variable>& fields = records_[type.id].fields;
  return std::any_of(fields.begin(), fields.end(),
                     [&](const Variable& v) { return has_names(v.type); });
}

void Names::declare(Place place, const std::string& name, Symbol symbol) {
  for (const auto& scope : scopes_)
    if (scope.contains(name))
      reject(place, fmt::format("'{}' is declared already", name), "choose another name");
  scopes_.back().emplace(name, std::move(symbol));
}

void Names::declare_private(Place place, const Variable& variable) {
  ++privates_;
  declare(place, variable.name, {Symbol::local, 0, variable.type, variable});
}

Names::Scopes Names::set_aside(std::size_t depth) {
  const auto first = scopes_.begin() + static_cast<std::ptrdiff_t>(depth);
  Scopes aside(std::make_move_iterator(first), std::make_move_iterator(scopes_.end()));
  scopes_.erase(first, scopes_.end());
  return aside;
}

void Names::bring_back(Scopes scopes) {
  scopes_.insert(scopes_.end(), std::make_move_iterator(scopes.begin()),
                 std::make_move_iterator(scopes.end()));
}

void Names::declare_procedures(const PartText& object) {
  object_ = &object;
  for (const OpText& p : object.procedures) {
    if (record(p.name))
      reject(p.place, fmt::format("'{}' is a record", p.name), "choose another name");
    if (procedure(p.name) != &p)
      reject(p.place, fmt::format("a second procedure '{}'", p.name), "choose another name");
  }
}

const OpText* Names::procedure(const std::string& name) const {
  if (!object_ || in_spec) return nullptr;
  for (const OpText& p : object_->procedures)
    if (p.name == name) return &p;
  return nullptr;
}

const OpText* Names::never_called() const {
  for (const OpText& p : object_->procedures)
    if (!called_.contains(&p)) return &p;
  return nullptr;
}

const Symbol* Names::find(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->find(name); found != scope->end()) return &found->second;
  return nullptr;
}

const Symbol& Names::symbol(Place place, const std::string& name) const {
  const Symbol* found = find(name);
  if (!found)
    reject(place, fmt::format("unknown name '{}'", name),
           in_spec ? "a specification sees only its own state, parameters and locals"
                   : "declare it: shared in the object, local in the operation, const outside");
  return *found;
}

std::int64_t Names::constant(const Expr& e) const {
  const std::optional<std::int64_t> value = folded(e);
  if (!value)
    reject(e.place, "this is not a constant", "only numbers, constants and + - * / % min max");
  if (*value < kLow || *value > kHigh)
    reject(e.place, "this number is too large", "numbers go up to 1000000000");
  return *value;
}

std::optional<std::int64_t> Names::folded(const Expr& e) const {
  if (e.kind == ExprKind::number) return e.value;
  if (e.kind == ExprKind::name) {
    const Symbol* found = find(e.text);
    if (found && found->kind == Symbol::constant) return found->number;
    return {};
  }
  if (e.kind == ExprKind::unary && e.text == "-") {
    const auto value = folded(*e.kids[0]);
    return value ? std::optional(-*value) : std::nullopt;
  }
  const bool function =
      e.kind == ExprKind::call && (e.text == "min" || e.text == "max") && e.kids.size() == 2;
  if (e.kind != ExprKind::binary && !function) return {};
  const auto left = folded(*e.kids[0]), right = folded(*e.kids[1]);
  if (!left || !right) return {};
  const std::int64_t a =
      std::clamp<std::int64_t>(*left, 2 * std::int64_t{kLow}, 2 * std::int64_t{kHigh});
  const std::int64_t b =
      std::clamp<std::int64_t>(*right, 2 * std::int64_t{kLow}, 2 * std::int64_t{kHigh});
  if (e.text == "+") return a + b;
  if (e.text == "-") return a - b;
  if (e.text == "*") return a * b;
  if (e.text == "min") return std::min(a, b);
  if (e.text == "max") return std::max(a, b);
  if ((e.text == "/" || e.text == "%") && b == 0)
    reject(e.place, "division by zero", "the right side is 0");
  if (e.text == "/") return a / b;
  if (e.text == "%") return a % b;
  return {};
}

Type Names::type_of(const TypeText& t) const {
  if (t.pointer) {
    const std::uint32_t id = pool(t.place, t.name);
    if (in_spec)
      reject(t.place, "a pointer in a specification", "it has no nodes: use arrays and numbers");
    return {Type::pointer, id, 0, pools_[id].size};
  }
  if (t.name == "bit") return integer_type(0, 1);
  if (t.name == "bool") return kTruth;
  if (t.name == "process") {
    if (!knows_processes())
      reject(t.place, "a process in a specification", "a specification has no processes");
    return process_type();
  }
  if (!t.name.empty()) {
    if (const auto id = record(t.name)) {
      if (in_spec && has_names({Type::record, *id, 0, 0}))
        reject(t.place, "pointers or processes in a specification", "a specification has neither");
      const Variable& last = records_[*id].fields.back();
      return {Type::record, *id, 0, last.first * (last.type.high - last.type.low + 1) - 1};
    }
    const auto found = enumeration_ids_.find(t.name);
    if (found == enumeration_ids_.end()) {
      const bool node = std::any_of(pools_.begin(), pools_.end(),
                                    [&](const Pool& other) { return other.name == t.name; });
      reject(t.place, fmt::format("unknown type '{}'", t.name),
             node ? fmt::format("use a pointer to the node: *{}", t.name)
                  : "a type is bit, bool, process, a range like 0..K-1, an enum, a record, or a "
                    "pointer");
    }
    return {Type::enumeration, found->second, 0,
            static_cast<Cell>(enumerations_[found->second].size()) - 1};
  }
  const std::int64_t low = constant(*t.low), high = constant(*t.high);
  if (low > high)
    reject(t.place, fmt::format("the range {}..{} is empty", low, high),
           "the smaller bound comes first");
  return integer_type(low, high);
}

Type Names::scalar_type(const TypeText& t) const {
  if (t.size)
    reject(t.place, "an array is not allowed here",
           "only shared variables and the state of a "
           "specification may be arrays");
  if (!t.steadiness.empty())
    reject(t.place, fmt::format("a {} register is not allowed here", t.steadiness),
           "only shared variables are safe or regular");
  return type_of(t);
}

std::string Names::words(const Type& type) const {
  if (type.kind == Type::boolean) return "bool";
  if (type.kind == Type::integer) return "number";
  if (type.kind == Type::process) return "process";
  if (type.kind == Type::record) return records_[type.id].name;
  if (type.kind == Type::pointer)
    return type.id == kAnyPool ? "pointer" : "*" + pools_[type.id].name;
  for (const auto& [name, id] : enumeration_ids_)
    if (id == type.id) return name;
  return "enum";
}

void Names::same_type(Place place, const Type& wanted, const Type& given) const {
  const bool null = wanted.id == kAnyPool || given.id == kAnyPool;
  if (wanted.kind == given.kind && (wanted.id == given.id || null)) return;
  if (null && (wanted.kind == Type::process || given.kind == Type::process)) return;
  reject(
      place, fmt::format("expected a {}, not a {}", words(wanted), words(given)),
      given.kind == Type::integer && wanted.kind == Type::boolean
          ? "compare it: x == 1"
          : "numbers, bools, pointers, processes and the values of each enum and record are kept "
            "apart");
}

Cell Names::fixed_record(const Expr& e, const Type& wanted) const {
  const std::uint32_t id = *record(e.text);
  same_type(e.place, wanted, {Type::record, id, 0, 0});
  std::int64_t value = 0;
  const std::vector<const Expr*> given = fields_of(e, records_[id].fields);
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Variable& v = records_[id].fields[i];
    const Cell field = given[i] ? fixed(*given[i], v.type) : std::clamp(0, v.type.low, v.type.high);
    value += std::int64_t{field - v.type.low} * v.first;
  }
  return static_cast<Cell>(value);
}

std::vector<const Expr*> Names::fields_of(const Expr& e,
                                          const std::vector<Variable>& fields) const {
  std::vector<const Expr*> given(fields.size(), nullptr);
  for (std::size_t i = 0; i < e.kids.size(); ++i) {
    const auto called = [&](const Variable& v) {
      return (v.field.empty() ? v.name : v.field) == e.labels[i];
    };
    const auto found = std::find_if(fields.begin(), fields.end(), called);
    if (found == fields.end())
      reject(e.kids[i]->place,
             e.labels[i].empty() ? "this value has no field name"
                                 : fmt::format("'{}' has no field '{}'", e.text, e.labels[i]),
             fmt::format("write: {}({} = value)", e.text,
                         fields[0].field.empty() ? fields[0].name : fields[0].field));
    const Expr*& place = given[static_cast<std::size_t>(found - fields.begin())];
    if (place)
      reject(e.kids[i]->place, fmt::format("field '{}' is given twice", e.labels[i]), "remove one");
    place = e.kids[i].get();
  }
  return given;
}

Cell Names::fixed(const Expr& e, const Type& wanted) const {
  std::int64_t value = 0;
  Type type = integer_type(0, 0);
  const Symbol* found = e.kind == ExprKind::name ? find(e.text) : nullptr;
  if (e.kind == ExprKind::truth) {
    value = e.value;
    type = kTruth;
  } else if (e.kind == ExprKind::null) {
    type = kNull;
  } else if (e.kind == ExprKind::call && record(e.text)) {
    return fixed_record(e, wanted);
  } else if (found && found->kind == Symbol::value) {
    value = found->number;
    type = found->type;
  } else {
    value = constant(e);
  }
  same_type(e.place, wanted, type);
  if (value < wanted.low || value > wanted.high)
    reject(e.place, fmt::format("{} is not in {}..{}", value, wanted.low, wanted.high),
           "change the value or the range");
  return static_cast<Cell>(value);
}

}  // namespace plumb::model
