// SPDX-License-Identifier: MIT
// The names of a model: what they mean, their types, and which expressions are constant.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/code/program.hpp"
#include "model/syntax/ast.hpp"

namespace plumb::model {

/// Numbers stay between these; a local without a type has 16 bits.
inline constexpr Cell kLow = -1'000'000'000, kHigh = 1'000'000'000;

/// Cut to what numbers can be.
Type integer_type(std::int64_t low, std::int64_t high);
inline constexpr Type kTruth = {Type::boolean, 0, 0, 1};
inline constexpr std::uint32_t kAnyPool = 0xffffffffu;
inline constexpr Type kNull = {Type::pointer, kAnyPool, 0, 0};

struct Symbol {
  enum Kind { constant, value, shared, local } kind = constant;  // local: also private
  Cell number = 0;                                               // constant, value
  Type type;
  Variable variable;
};

/// Scopes of names. A name is declared once, so an inner one never hides an outer one.
class Names {
 public:
  bool in_spec = false;   // what is compiled now: the specification, or the object
  bool alone = false;     // the object is the specification of another model
  bool collected = true;  // the object does not free nodes
  Cell processes = 1;

  void enter() { scopes_.emplace_back(); }
  void leave() { scopes_.pop_back(); }
  /// The scopes of an operation, from the first on, while a procedure is compiled that must not
  /// see them.
  using Scopes = std::vector<std::map<std::string, Symbol>>;
  std::size_t depth() const { return scopes_.size(); }
  Scopes set_aside(std::size_t depth);
  void bring_back(Scopes scopes);

  void declare_procedures(const PartText& object);
  const OpText* procedure(const std::string& name) const;
  void called(const OpText& procedure) { called_.insert(&procedure); }
  /// Null: all are.
  const OpText* never_called() const;
  bool is_procedure(const std::string& name) const { return procedure(name) != nullptr; }

  void declare_private(Place place, const Variable& variable);
  /// Slots below are the private variables of the object.
  std::size_t first_local() const { return in_spec ? 0 : privates_; }

  /// Processes, and what belongs to one of them, mean nothing to a specification.
  bool knows_processes() const { return !in_spec && !alone; }
  /// The constants, with the values that were given from outside. Returns: the names of values that
  /// no constant asked for.
  std::set<std::string> declare_constants(const ModelText& model, const Settings& settings);
  void declare_enumerations(const ModelText& model);
  /// The cells of nodes are the first shared variables of the program.
  void declare_records_and_nodes(const ModelText& model, Program& program);
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
  const std::vector<RecordType>& records() const { return records_; }
  const std::vector<Pool>& pools() const { return pools_; }
  /// Which pool of nodes has this name; rejects the model where there is none.
  std::uint32_t pool(Place place, const std::string& name) const;
  /// Which record has this name; nothing where there is none.
  std::optional<std::uint32_t> record(const std::string& name) const;
  /// A field of a record or of what a pointer leads to.
  const Variable& field(Place place, const Type& type, const std::string& name) const;
  /// Whether it has pointers or processes in it, whose numbers mean nothing.
  bool has_names(const Type& type) const;
  Type process_type() const { return {Type::process, 0, 0, processes}; }
  /// "Pair(a = 1)": what is given for each field; null: nothing.
  std::vector<const Expr*> fields_of(const Expr& e, const std::vector<Variable>& fields) const;
  const std::vector<std::pair<std::string, std::int64_t>>& constants() const {
    return constant_values_;
  }

 private:
  std::string words(const Type& type) const;
  void new_type(const FieldsText& text);
  void declare_records(const ModelText& model);
  Cell fixed_record(const Expr& e, const Type& wanted) const;

  Scopes scopes_ = {{}};
  const PartText* object_ = nullptr;
  std::set<const OpText*> called_;
  std::size_t privates_ = 0;
  std::map<std::string, std::uint32_t> enumeration_ids_;
  std::vector<std::vector<std::string>> enumerations_;
  std::vector<RecordType> records_;
  std::vector<Pool> pools_;
  std::vector<std::pair<std::string, std::int64_t>> constant_values_;
};

}  // namespace plumb::model
