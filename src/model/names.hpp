// SPDX-License-Identifier: MIT
// What a name of a model means, what type it has, and which expressions are known before anything
// runs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/ast.hpp"
#include "model/program.hpp"

namespace plumb::model {

/// Numbers stay between these; a local without a type has 16 bits.
inline constexpr Cell kLow = -1'000'000'000, kHigh = 1'000'000'000;

/// Cut to what numbers can be.
Type integer_type(std::int64_t low, std::int64_t high);
inline constexpr Type kTruth = {Type::boolean, 0, 0, 1};

struct Symbol {
  enum Kind { constant, value, shared, local } kind = constant;
  Cell number = 0;  // constant, value
  Type type;
  Variable variable;
};

/// Scopes of names. A name is declared once, so an inner one never hides an outer one.
class Names {
 public:
  bool in_spec = false;  // what is compiled now: the specification, or the object

  void enter() { scopes_.emplace_back(); }
  void leave() { scopes_.pop_back(); }

  /// The constants, with the values that were given from outside. Returns: the name of a value
  /// that no constant asked for; empty: there is none.
  std::string declare_constants(const ModelText& model, const Settings& settings);
  void declare_enumerations(const ModelText& model);
  void declare(Place place, const std::string& name, Symbol symbol);

  /// Null where there is none.
  const Symbol* find(const std::string& name) const;
  /// Rejects the model where there is none.
  const Symbol& symbol(Place place, const std::string& name) const;

  /// The value of an expression made of numbers and constants; others are rejected, or nothing.
  std::int64_t constant(const Expr& e) const;
  std::optional<std::int64_t> folded(const Expr& e) const;
  /// A value that is known before anything runs: initial values, arguments of clients.
  Cell fixed(const Expr& e, const Type& wanted) const;

  Type type_of(const TypeText& t) const;
  Type scalar_type(const TypeText& t) const;  // arrays are rejected
  void same_type(Place place, const Type& wanted, const Type& given) const;

  const std::vector<std::vector<std::string>>& enumerations() const { return enumerations_; }
  const std::vector<std::pair<std::string, std::int64_t>>& constants() const {
    return constant_values_;
  }

 private:
  std::string words(const Type& type) const;

  std::vector<std::map<std::string, Symbol>> scopes_ = {{}};
  std::map<std::string, std::uint32_t> enumeration_ids_;
  std::vector<std::vector<std::string>> enumerations_;
  std::vector<std::pair<std::string, std::int64_t>> constant_values_;
};

}  // namespace plumb::model
