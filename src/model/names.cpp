// SPDX-License-Identifier: MIT
#include "model/names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/diagnostic.hpp"

namespace plumb::model {

Type integer_type(std::int64_t low, std::int64_t high) {
  return {Type::integer, 0, static_cast<Cell>(std::clamp<std::int64_t>(low, kLow, kHigh)),
          static_cast<Cell>(std::clamp<std::int64_t>(high, kLow, kHigh))};
}

std::string Names::declare_constants(const ModelText& model, const Settings& settings) {
  std::string unknown;
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
    if (!used[i]) unknown = settings[i].first;
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

void Names::declare(Place place, const std::string& name, Symbol symbol) {
  for (const auto& scope : scopes_)
    if (scope.contains(name))
      reject(place, fmt::format("'{}' is declared already", name), "choose another name");
  scopes_.back().emplace(name, std::move(symbol));
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
           in_spec ? "a specification knows its own state, parameters and locals"
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
  if (t.name == "bit") return integer_type(0, 1);
  if (t.name == "bool") return kTruth;
  if (!t.name.empty()) {
    const auto found = enumeration_ids_.find(t.name);
    if (found == enumeration_ids_.end())
      reject(t.place, fmt::format("unknown type '{}'", t.name),
             "a type is bit, bool, a range like 0..K-1, or an enum");
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
    reject(t.place, "an array can not stand here",
           "only shared variables and the state of a "
           "specification may be arrays");
  return type_of(t);
}

std::string Names::words(const Type& type) const {
  if (type.kind == Type::boolean) return "bool";
  if (type.kind == Type::integer) return "number";
  for (const auto& [name, id] : enumeration_ids_)
    if (id == type.enumeration_id) return name;
  return "enum";
}

void Names::same_type(Place place, const Type& wanted, const Type& given) const {
  if (wanted.kind == given.kind && wanted.enumeration_id == given.enumeration_id) return;
  reject(place, fmt::format("expected a {}, not a {}", words(wanted), words(given)),
         given.kind == Type::integer && wanted.kind == Type::boolean
             ? "compare it: x == 1"
             : "numbers, bools and the values of each enum are kept apart");
}

Cell Names::fixed(const Expr& e, const Type& wanted) const {
  std::int64_t value = 0;
  Type type = integer_type(0, 0);
  const Symbol* found = e.kind == ExprKind::name ? find(e.text) : nullptr;
  if (e.kind == ExprKind::truth) {
    value = e.value;
    type = kTruth;
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
