// SPDX-License-Identifier: MIT
#include "session/suppressions.hpp"

#include <string_view>

#include "base/read_text.hpp"

namespace plumb::session {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::string_view kKind = "race:";
constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// The whole text; * stands for any part. Where a part does not fit, the last * takes more.
bool matches_whole(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = pattern.npos, taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

// A part of the text, unless ^ or $ say otherwise; `to_end`: the end of it.
bool matches(std::string_view pattern, std::string_view text, bool to_end) {
  std::string whole;
  if (pattern.starts_with('^')) pattern.remove_prefix(1);
  else whole = "*";
  const bool ends = pattern.ends_with('$');
  if (ends) pattern.remove_suffix(1);
  whole += pattern;
  if (!ends && !to_end) whole += "*";
  return !text.empty() && matches_whole(whole, text);
}

}  // namespace

Result<std::shared_ptr<const Suppressions>> Suppressions::read(const std::string& file) {
  const Result<std::string> text = read_text(file, kMostBytes);
  if (!text.ok()) return text.error();
  auto made = std::make_shared<Suppressions>();
  made->file_ = file;
  std::uint64_t number = 0;
  for (std::string_view rest = *text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    const std::string_view pattern =
        line.starts_with(kKind) ? trimmed(line.substr(kKind.size())) : "";
    if (pattern.empty())
      return Error{ErrorKind::bad_input, "'" + std::string(line) + "' suppresses no data race",
                   "a line is race:PATTERN, or a comment that begins with #; --ignore names other "
                   "kinds of findings",
                   file, number};
    made->lines_.push_back({number, std::string(pattern)});
  }
  return std::shared_ptr<const Suppressions>(std::move(made));
}

std::set<std::size_t> Suppressions::matching(const Frame& frame) const {
  const std::string place = frame.file + ":" + std::to_string(frame.line);
  std::set<std::size_t> found;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const std::string& pattern = lines_[i].pattern;
    // Line 1 is not line 12.
    if (matches(pattern, frame.function, false) || matches(pattern, frame.file, false) ||
        (frame.line != 0 && matches(pattern, place, true)))
      found.insert(i);
  }
  return found;
}

const std::set<std::size_t>& RaceFilter::lines_of(const void* pc, const runtime::Board& board) {
  const auto [at, is_new] = known_.try_emplace(pc);
  if (!is_new) return at->second;
  Symbols symbols(board);
  symbols.add({&pc, 1});
  symbols.look_up();
  for (const Frame& frame : symbols.frames(pc)) at->second.merge(suppressions_->matching(frame));
  return at->second;
}

bool RaceFilter::suppresses(const runtime::Finding& finding, runtime::Board& board) {
  if (finding.kind != FindingKind::race) return false;
  bool any = false;
  for (const void* const pc : {finding.here.pc[0], finding.there.pc[0]})
    if (!lines_of(pc, board).empty()) any |= board.suppressed.add(pc);
  if (any) board.suppressed.note(finding.here.pc[0], finding.there.pc[0]);
  return any;
}

bool RaceFilter::drop(runtime::Board& board) {
  if (suppressions_ == nullptr) return false;
  runtime::FindingList& findings = board.result.findings;
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < findings.count; ++i) {
    if (suppresses(findings.all[i].finding, board)) continue;
    if (kept != i) findings.all[kept] = findings.all[i];
    ++kept;
  }
  const bool any = kept < findings.count;
  findings.count = kept;
  return any;
}

std::vector<report::Suppression> RaceFilter::count(const std::set<RacePair>& races,
                                                   const runtime::Board& board) {
  std::vector<report::Suppression> counted;
  if (suppressions_ == nullptr) return counted;
  for (const Suppressions::Line& line : suppressions_->lines())
    counted.push_back({suppressions_->file(), line.number, std::string(kKind) + line.pattern, 0});
  for (const auto& [first, second] : races) {
    std::set<std::size_t> lines = lines_of(reinterpret_cast<const void*>(first), board);
    const auto& others = lines_of(reinterpret_cast<const void*>(second), board);
    lines.insert(others.begin(), others.end());
    for (const std::size_t line : lines) ++counted[line].races;
  }
  return counted;
}

void add_seen(const runtime::Board& board, std::set<RacePair>& races) {
  const runtime::SuppressedRaces& suppressed = board.suppressed;
  for (std::uint32_t i = 0; i < suppressed.seen_count; ++i)
    races.emplace(reinterpret_cast<std::uint64_t>(suppressed.seen[i].first),
                  reinterpret_cast<std::uint64_t>(suppressed.seen[i].second));
}

}  // namespace plumb::session
