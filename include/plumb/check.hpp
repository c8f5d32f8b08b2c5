// SPDX-License-Identifier: MIT
// Door 1 as a library: decide a recorded history.
//
//   Result<History> history = plumb::read_history("run.jsonl");
//   Result<CheckReport> report = plumb::check(*history);
//   if (report->verdict == Verdict::violation) ...
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/export.hpp"
#include "plumb/history.hpp"
#include "plumb/result.hpp"
#include "plumb/specification.hpp"
#include "plumb/verdict.hpp"

namespace plumb {

/// What may be asked of a history. docs/properties.md has the definitions.
enum class HistoryProperty {
  linearizable,
  regular,             // of registers
  safe,                // of registers
  sequential,          // of registers
  quasi_linearizable,  // by check_quasi() only
};

/// As on the command line: "quasi-linearizable"
constexpr std::string_view to_string(HistoryProperty property) {
  switch (property) {
    case HistoryProperty::linearizable: return "linearizable";
    case HistoryProperty::regular: return "regular";
    case HistoryProperty::safe: return "safe";
    case HistoryProperty::sequential: return "sequential";
    case HistoryProperty::quasi_linearizable: return "quasi-linearizable";
  }
  return "";
}
/// By that name; nothing: there is no such property.
PLUMB_API std::optional<HistoryProperty> find_property(std::string_view name);

/// In which order the engine jit searches. `automatic`: depth first, then breadth first.
enum class SearchOrder { automatic, depth_first, breadth_first };

/// Use designated initialisers: fields may be added.
struct CheckOptions {
  const Specification* specification = nullptr;  // null: what the history says of its objects
  std::optional<Value> initial = {};             // overrides the history's
  HistoryProperty property = HistoryProperty::linearizable;
  std::string engine = "auto";
  bool partition = true;    // by key; by object always
  bool keep_going = false;  // decide all partitions even after a violation
  bool minimise = true;
  std::size_t lru_entries = 0;                  // wgl
  SearchOrder search = SearchOrder::automatic;  // jit
  double timeout_seconds = 0;                   // 0: none
  std::size_t memory_bytes = 0;                 // of the whole process; 0: none
  std::uint64_t steps = 0;                      // of the search, for each partition; 0: any number
  unsigned jobs = 0;                            // 0: all cores
  bool excerpt = false;                         // see Counterexample
  const std::atomic<bool>* interrupt = nullptr;
};

/// What a check is doing.
enum class CheckPhase {
  starting,
  reading,
  streaming,
  splitting,
  deciding,
  proving,
  minimising,
  finding_least_factors,
};
PLUMB_API std::string_view to_string(CheckPhase phase);

/// How far a check is, for a progress line. Written by the check, read by anyone.
struct CheckProgress {
  std::atomic<std::uint64_t> operations_decided{0}, operations{0};
  std::atomic<std::uint64_t> partitions_decided{0}, partitions{0};
  std::atomic<std::uint64_t> events{0}, waiting{0};  // of a stream
  std::atomic<CheckPhase> phase{CheckPhase::starting};
};

/// What was decided about one partition of the history, and how.
struct PartitionReport {
  ObjectId object = 0;
  std::vector<Value> keys;  // empty: the whole object
  std::uint64_t operations = 0;
  Verdict verdict = Verdict::undecided;
  bool skipped = false;  // not looked at, because another one is a violation
  std::string engine;
  StopReason stopped = StopReason::none;  // why undecided, and
  std::string reason;                     // in words
  std::string why_engine;                 // why it was chosen
  std::vector<std::string> declined;      // "soar: two writes overlap": asked before, in vain
  std::uint64_t covered = 0;              // returns that some order explains
  std::uint64_t configurations = 0, steps = 0, states = 0, bytes = 0, peak_frontier = 0;
  double seconds = 0;
};

/// A violation, cut down. The sub-history is a violation by itself, and so is the whole history
/// with every operation that is not in it weakened to "may happen at any time or never".
struct Counterexample {
  std::vector<OperationId> operations;  // of the history, ascending: the ones that matter
  /// Those of them whose calls matter, but neither what they returned nor when, if at all.
  /// Ascending.
  std::vector<OperationId> only_called;
  OperationId culprit = kNone;  // whose return (or blocking) nothing explains
  /// No operation can be left out any more, and no outcome, such that it stays self-contained.
  bool minimal = false;
  /// A second engine has verified that it is a violation whatever the other operations of the
  /// object did: even if each of them is replaced by one that was called before everything else and
  /// may have taken effect at any time, with any result, or never.
  bool self_contained = false;
  /// Long histories are cut on the left as well: in every order, just before `operations` the
  /// object is in this state. Empty: from the start of the history.
  std::string left_state;
  std::uint32_t left_position = 0;  // the cut: a position in the history's events
  bool left_open = false;           // ... and what is open at the cut takes effect later, if at all
  /// The same state itself, where it is known exactly; null: only the text is.
  std::shared_ptr<const StateSpace> left_space;
  StateId left_space_state = 0;
  /// The history is a part of a longer one, so nothing is said of what may lie outside it.
  bool excerpt = false;
  std::vector<std::string> why;  // in words, one sentence each
  /// The operations that the first sentence of `why` speaks of, ascending (some may not be among
  /// `operations`); empty: it speaks of all.
  std::vector<OperationId> focus;
  std::string confirmed_by;             // the second engine
  std::vector<Value> possible_results;  // what the culprit could have returned instead
  /// How stale the reads of a register are: 2 if the history is 2-atomic (each read returns one of
  /// the last two values written), 3 if it is not; 0: not known.
  unsigned stale = 0;
};

/// A history that was decided while it came, and not kept.
struct StreamScope {
  std::uint64_t events = 0, lines = 0;
  std::uint64_t line = 0;          // where the violation was proved, or undecided from here on
  std::uint64_t most_waiting = 0;  // events that were held back at once, at most
};

/// The answer of a check: the verdict with its evidence, and what was covered.
struct CheckReport {
  HistoryProperty property = HistoryProperty::linearizable;
  Verdict verdict = Verdict::undecided;
  StopReason stopped = StopReason::none;  // why undecided, and
  std::string reason;                     // in words
  std::vector<PartitionReport> partitions;
  std::vector<std::string> scope_notes;  // "not split by key: size() has no key"
  std::uint64_t operations = 0, completed = 0, pending = 0, skipped_partitions = 0;
  /// holds: all operations that took effect, in an order that explains every result; verified.
  std::vector<OperationId> witness;
  /// regular or safe holds: each read that returned, and the write that justifies it; kNone: the
  /// initial value, or it overlaps a write and may return anything (safe). Verified.
  std::vector<std::pair<OperationId, OperationId>> reads_from;
  /// of a stuck history: for each pending operation an order after which it blocks.
  std::vector<std::pair<OperationId, std::vector<OperationId>>> blocking_witnesses;
  std::optional<Counterexample> counterexample;
  std::optional<StreamScope> stream;
  double split_seconds = 0;      // binding operations to the specification, splitting by key
  double seconds = 0;            // deciding alone
  double evidence_seconds = 0;   // verifying, minimising, explaining
  std::uint64_t peak_bytes = 0;  // of the searches' tables
  bool interrupted = false;
};

/// An error: the options do not fit the history. Thread safety: may be called from several threads
/// at once.
PLUMB_API Result<CheckReport> check(const History& history, const CheckOptions& options = {},
                                    CheckProgress* progress = nullptr);

/// Operations that may be out of order together, and by how much (Round-Up, Definition 3).
struct QuasiSet {
  std::vector<std::string> operations;      // by any of their names
  std::optional<std::int64_t> factor = {};  // empty: as large as need be; with `least_factors` only
};

/// What it means to be out of order by a factor: docs/quasi.md. Sections and definitions are those
/// of Round-Up.
enum class Relaxation {
  strict,    // section V-A, Restrictions 1 and 2, as an automaton
  distance,  // Restriction 1 alone: how far from the head
  lateness,  // Restriction 2 alone: how often overtaken
  slot,      // relaxed operations change places among themselves
  all,       // Algorithms 1 and 2 as printed: a place is one among all operations
  def4,      // Definition 4 as printed: a place is one among the operations of the same set
};

/// As on the command line: "strict"
constexpr std::string_view to_string(Relaxation relaxation) {
  switch (relaxation) {
    case Relaxation::strict: return "strict";
    case Relaxation::distance: return "distance";
    case Relaxation::lateness: return "lateness";
    case Relaxation::slot: return "slot";
    case Relaxation::all: return "all";
    case Relaxation::def4: return "def4";
  }
  return "";
}

/// What may be out of order.
struct QuasiOptions {
  std::vector<QuasiSet> sets;  // operations that are in none have factor 0
  Relaxation relaxation = Relaxation::strict;
  bool least_factors = false;  // also look for the least factor of each set
  bool dedup = true;           // roundup-literal: skip what was seen before (section VI-C)
};

/// How far out of order a history is.
struct QuasiReport {
  CheckReport check;
  QuasiOptions asked;
  /// By set, if it was asked for: the least factor that explains the history, with the others as
  /// asked; -1: none does; empty: it could not be decided.
  std::vector<std::optional<std::int64_t>> least;
  /// holds, by slot, all or def4: the witness permuted, object after object; each is a legal
  /// sequential history, and no operation is farther from its place than allowed. Verified.
  std::vector<std::vector<OperationId>> displaced;
  /// holds: every operation that is out of its place in the witness. violation: the same for the
  /// counterexample (by slot, all or def4: if the others did what fits best) and the least factor
  /// that explains it, so it is how far out it is at best.
  struct Distance {
    OperationId operation = kNone;          // kNone: the element was never taken out
    std::uint32_t distance = 0;             // places from the head, or between its two places
    std::optional<Value> element = {};      // that it took out; of queues, stacks and the like
    std::vector<Value> ahead = {};          // elements before it at that time
    std::vector<OperationId> overtaken_by;  // took others although the element was before them
  };
  std::vector<Distance> distances;
  /// violation: that factor; -1: there is none; empty: not found out.
  std::optional<std::int64_t> needed = {};
};

/// Decides whether the history is quasi linearizable. Of `options`, `property` and `partition` do
/// not count: the property is this one, and only objects are decided one by one. Errors and thread
/// safety: as check().
PLUMB_API Result<QuasiReport> check_quasi(const History& history, const QuasiOptions& quasi,
                                          const CheckOptions& options = {},
                                          CheckProgress* progress = nullptr);

}  // namespace plumb
