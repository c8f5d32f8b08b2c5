// SPDX-License-Identifier: MIT
#include "session/parts.hpp"

#include <algorithm>
#include <string>

#include "explore/make.hpp"

namespace plumb::session {

using runtime::Board;

namespace {

void add_counts(explore::StateHead& head, const explore::StateHead& more) {
  head.executions += more.executions;
  head.pruned += more.pruned;
  head.given_up += more.given_up;
  head.overflows += more.overflows;
  head.divergences += more.divergences;
}

}  // namespace

void add(const runtime::Compared& more, runtime::Compared& to) {
  to.executions += more.executions;
  to.racy += more.racy;
  to.cyclic += more.cyclic;
  to.cut += more.cut;
}

namespace {

explore::StateHead difference(const explore::StateHead& now, const explore::StateHead& before) {
  explore::StateHead counts;
  counts.executions = now.executions - before.executions;
  counts.pruned = now.pruned - before.pruned;
  counts.given_up = now.given_up - before.given_up;
  counts.overflows = now.overflows - before.overflows;
  counts.divergences = now.divergences - before.divergences;
  return counts;
}

}  // namespace

void Counted::add(const Counted& later) {
  executions += later.executions;
  steps += later.steps;
  stuck += later.stuck;
  cut += later.cut;
  many_threads |= later.many_threads;
  session::add(later.compared, compared);
  if (first_cycle.empty()) first_cycle = later.first_cycle;
  findings.insert(findings.end(), later.findings.begin(), later.findings.end());
  wrote_prior_heap |= later.wrote_prior_heap;
  guessed |= later.guessed;
  could_reuse |= later.could_reuse;
  read_thread_id |= later.read_thread_id;
  blind = std::max(blind, later.blind);
  unseen.by_effect |= later.unseen.by_effect;
  for (const void* const function : later.unseen.all()) unseen.add(function);
  suppressed.insert(suppressed.end(), later.suppressed.begin(), later.suppressed.end());
  add_counts(head, later.head);
}

Counted Counted::of(Board& board, const explore::StateHead& before) {
  const runtime::SearchResult& result = board.result;
  Counted counted;
  counted.executions = result.progress.executions;
  counted.steps = result.progress.steps;
  counted.stuck = result.progress.stuck;
  counted.cut = result.progress.cut;
  counted.many_threads = result.progress.many_threads;
  counted.compared = result.compared;
  if (result.compared.cyclic > 0) counted.first_cycle.push_back(result.first_cycle);
  const auto findings = result.findings.kept();
  counted.findings.assign(findings.begin(), findings.end());
  counted.wrote_prior_heap = board.remarks.wrote_prior_heap;
  counted.guessed = board.remarks.guessed;
  counted.could_reuse = board.remarks.could_reuse;
  counted.read_thread_id = board.remarks.read_thread_id;
  counted.blind = result.blind;
  counted.unseen = board.unseen;
  const auto& seen = board.suppressed.seen;
  counted.suppressed.assign(seen.begin(), seen.begin() + board.suppressed.seen_count);
  std::string error;
  if (const auto* const head = explore::peek(board.strategy_memory(), error))
    counted.head = difference(*head, before);
  return counted;
}

void Counted::write_to(Board& board) const {
  runtime::SearchResult& result = board.result;
  result.progress.executions = executions;
  result.progress.steps = steps;
  result.progress.stuck = stuck;
  result.progress.cut = cut;
  result.progress.histories = histories;
  result.progress.many_threads = many_threads;
  result.compared = compared;
  if (!first_cycle.empty()) result.first_cycle = first_cycle.front();
  result.findings.clear();
  for (const runtime::KeptFinding& found : findings) {
    const std::uint32_t before = result.findings.count;
    result.findings.add(found.finding, {found.schedule.data(), found.choices});
    if (result.findings.count > before) result.findings.all[before].too_long = found.too_long;
  }
  board.remarks.wrote_prior_heap = wrote_prior_heap;
  board.remarks.guessed = guessed;
  board.remarks.could_reuse = could_reuse;
  board.remarks.read_thread_id = read_thread_id;
  result.blind = blind;
  board.unseen.by_effect |= unseen.by_effect;
  for (const void* const function : unseen.all()) board.unseen.add(function);
  for (const auto& [here, there] : suppressed) board.suppressed.note(here, there);
  std::string error;
  if (const auto strategy = explore::attach(board.strategy_memory(), error))
    strategy->set_counts(head);
}

}  // namespace plumb::session
