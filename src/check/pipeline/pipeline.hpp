// SPDX-License-Identifier: MIT
// What every check of a history has in common: split it, decide each part on all cores, verify
// what was found, and either merge the parts' evidence or cut a violation down and explain it.
// Which question is asked is a Property.
#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/crew.hpp"
#include "check/evidence/minimise.hpp"
#include "check/problem/partition.hpp"
#include "plumb/check.hpp"

namespace plumb {

/// A question about histories, and how it is answered for one part of them. The engines behind
/// `decide` and `minimise` are the property's own business; `verify` shares no code with them.
class Property {
 public:
  virtual ~Property() = default;

  /// As in CheckReport::property.
  virtual HistoryProperty kind() const = 0;

  /// The parts that are decided one by one, or why the question makes no sense.
  virtual Result<Partitioning> split() = 0;

  /// Decides one part. Called from several threads at once.
  virtual Answer decide(const Partition& part, Budget& budget) = 0;

  /// Whether parts with equal histories have equal answers, so that one of them is decided.
  virtual bool decides_equal_parts_once() const { return false; }

  /// Checks the evidence of a part that holds. Called from several threads at once.
  /// Requires: complete(answer). Returns: empty, or what is wrong with it.
  virtual std::string verify(const Partition& part, const Answer& answer) const = 0;

  /// All parts hold: fills in the evidence for the whole history. The usual one is one order of all
  /// operations, or orders after which the pending operations of a stuck history block.
  /// Returns: empty, or why the parts' evidence does not add up.
  virtual std::string merge(const Partitioning& parts, const std::vector<Answer>& answers,
                            CheckReport& report);

  /// Cuts a violation down, and has a second engine refute it again.
  virtual Minimised minimise(const Partition& part, const Answer& answer, Budget& budget) = 0;

  /// Where `minimise` found no second engine: as a last resort, has one refute the whole part, for
  /// `factor` times as many steps.
  virtual void confirm(const Partition&, const Answer&, std::uint64_t /*factor*/, Budget&,
                       Minimised&) {}

  /// Completes a counterexample whose operations are known by saying why it is one.
  /// Returns: whether it is worth showing.
  virtual bool explain(const Partition& part, const Minimised& cut, Counterexample& example,
                       Budget& budget) = 0;

 protected:
  explicit Property(const History& history) : history_(history) {}

  const History& history_;
};

/// One check from end to end. Nothing is claimed without evidence: without a confirmation by a
/// second engine a violation becomes `undecided`.
class Pipeline {
 public:
  Pipeline(Property& property, const History& history, const CheckOptions& options,
           CheckProgress& progress);

  /// Call once.
  Result<CheckReport> run();

  /// Afterwards, for questions about the same parts:
  const Partitioning& parts() const { return parts_; }
  Budget& budget() { return budget_; }

 private:
  Status split();
  void decide_all(Crew& crew);
  void decide_in_order(Crew& crew, std::vector<std::size_t> order);
  std::vector<std::size_t> decide_round(Crew& crew, const std::vector<std::size_t>& order,
                                        std::uint64_t steps);
  void decide_part(std::size_t index, Budget& budget);
  void skip_part(std::size_t index);
  void copy_answer(std::size_t index, std::size_t from);
  std::vector<std::size_t> parts_with(Verdict verdict, bool skipped = false) const;
  std::vector<std::size_t> in_order(std::vector<std::size_t> parts) const;
  Status prove(Crew& crew);
  Status verify_all(Crew& crew, const std::vector<std::size_t>& holding);
  Status convict_parts(Crew& crew, std::vector<std::size_t> violated);
  Status decide_skipped(Crew& crew, std::vector<std::size_t>& violated);

  Property& property_;
  const History& history_;
  const CheckOptions& options_;
  CheckProgress& progress_;
  const Clock::time_point started_ = Clock::now();
  Budget budget_;
  Partitioning parts_;
  std::vector<Answer> answers_;  // by part
  CheckReport report_;
};

/// Cuts the violation of a part down, confirms and explains it: fills in the report's
/// counterexample. Without a second engine the report's verdict becomes `undecided`.
/// Requires: `answer` is a violation of `part`, a part of `history`.
/// Returns: an internal error where engines disagree.
Status convict(Property& property, const History& history, const Partition& part,
               const Answer& answer, Budget& budget, CheckReport& report, bool excerpt);

/// What of a check's options concerns engines.
EngineOptions engine_options(const CheckOptions& options);

/// The same options, with the time that is left of a check that began then.
CheckOptions with_time_left(CheckOptions options, Clock::time_point started);

/// A scope note of properties that do not ask why an operation is stuck.
inline constexpr const char* kStuckNote =
    "that operations are stuck is not judged, only what returned";

}  // namespace plumb
