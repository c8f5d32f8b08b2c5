// SPDX-License-Identifier: MIT
#include "report/check_report.hpp"

namespace plumb::report {
namespace {

CheckScope scope_of(CheckReport& found, const CheckRequest& request) {
  CheckScope scope;
  scope.view = request.view;
  scope.property = found.property;
  scope.operations = found.operations;
  scope.completed = found.completed;
  scope.pending = found.pending;
  scope.partitions_total = request.partitions;
  scope.partitions_decided = request.partitions_decided;
  if (!found.partitions.empty()) {
    scope.partitions_total = found.partitions.size();
    for (const PartitionReport& p : found.partitions)
      scope.partitions_decided += p.verdict != Verdict::undecided;
  }
  scope.skipped = found.skipped_partitions;
  scope.partitions = std::move(found.partitions);
  scope.engine = request.engine;
  scope.split_by_key = request.partition && found.property != HistoryProperty::sequential &&
                       found.property != HistoryProperty::quasi_linearizable;
  scope.stream = found.stream;
  scope.reading_seconds = request.reading_seconds;
  scope.splitting_seconds = found.split_seconds;
  scope.evidence_seconds = found.evidence_seconds;
  scope.total_seconds = request.total_seconds;
  scope.search_bytes = found.peak_bytes;
  scope.limits = request.limits;
  return scope;
}

// Of a stuck history linearizability asks more: why its pending operations block.
std::string property_words(HistoryProperty property, const HistoryView& view) {
  const bool stuck = view.history && view.history->stuck;
  return std::string(to_string(property)) +
         (stuck && property == HistoryProperty::linearizable ? " (stuck)" : "");
}

Evidence evidence_of(CheckReport& found, const CheckRequest& request) {
  Evidence evidence{{}, request.quasi};
  const bool judges_reads =
      found.property == HistoryProperty::regular || found.property == HistoryProperty::safe;
  if (found.verdict == Verdict::holds) {
    if (found.stream) return evidence;
    if (judges_reads) evidence.what = ReadsFrom{found.reads_from.size()};
    else
      evidence.what = Witness{request.view, std::move(found.witness),
                              found.blocking_witnesses.size(), request.witness_file};
  } else if (found.counterexample && request.view.history) {
    evidence.what = Refutation{request.view, *std::move(found.counterexample)};
  }
  return evidence;
}

}  // namespace

Report check_report(CheckReport found, const CheckRequest& request) {
  const HistoryView& view = request.view;
  Report report;
  report.file = request.file;
  report.property = property_words(found.property, view);
  if (view.given || view.history)
    report.specification =
        view.history ? specification_names(*view.history, view.given.get()) : view.given->name();
  report.verdict = found.verdict;
  report.stopped = found.stopped;
  report.reason = found.reason;
  report.interrupted = found.interrupted;
  report.scope = scope_of(found, request);
  report.notes = found.scope_notes;
  report.evidence = evidence_of(found, request);
  report.seconds = found.seconds;
  report.peak_bytes = request.peak_bytes;
  report.replay = request.replay;
  return report;
}

}  // namespace plumb::report
