// SPDX-License-Identifier: MIT
#include "runtime/wire/finding.hpp"

namespace plumb::runtime {

void KeptFinding::keep(std::span<const std::uint8_t> all) {
  too_long = all.size() > kChoices;
  choices = 0;
  if (too_long) return;
  for (const std::uint8_t choice : all) schedule[choices++] = choice;
}

void FindingList::add(const Finding& finding, std::span<const std::uint8_t> schedule) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const Finding& known = all[i].finding;
    if (known.kind == finding.kind && known.here.pc[0] == finding.here.pc[0] &&
        known.there.pc[0] == finding.there.pc[0]) {
      return;
    }
  }
  if (finding.kind == FindingKind::race && knows_race(finding.here.pc[0], finding.there.pc[0]))
    return;
  if (count == kMost) return;
  KeptFinding& entry = all[count++];
  entry.finding = finding;
  entry.keep(schedule);
}

bool FindingList::knows_race(const void* here, const void* there) const {
  for (std::uint32_t i = 0; i < count; ++i) {
    const Finding& known = all[i].finding;
    if (known.kind != FindingKind::race) continue;
    const void* const a = known.here.pc[0];
    const void* const b = known.there.pc[0];
    if ((a == here && b == there) || (a == there && b == here)) return true;
  }
  return count == kMost;
}

}  // namespace plumb::runtime
