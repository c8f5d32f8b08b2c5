// SPDX-License-Identifier: MIT
// Liu, Chen, Liu, Sun, Zhang and Dong, *Verifying linearizability via optimized refinement
// checking*, 2013, section 3.2.1: the specification of a linearizable object is a transition system
// with, for every operation, a call, one invisible step in which it takes effect at once ("tau"),
// and a return. Its determinisation (section 4.1) has sets of configurations as states. A
// configuration is the state of the sequential object, and for each process: idle, called but not
// yet effective, or effective with a result.
//
// Such a set is closed under tau: an effective step may always have happened already. A tau step
// only ever makes one more operation effective, so the closure has no cycles, and it is determined
// by its minimal elements, those that no other one reaches. Only these generators are kept. That is
// a canonical form, because minimal elements are unique.
//  * A call adds "called" to each generator. No configuration begins to reach another by that,
//  since
//    the new operation is not effective in either.
//  * A return of p with v keeps the configurations in which p is effective with v. Each of them is
//    reached from a generator by a path of taus; cut the path just after p took effect: what is
//    left of it are taus of others. So the ends of all paths that end with p generate the new set.
//
// Sets, and what becomes of a set by each action, are remembered: most look-ups hit.
#include "refine/monitor.hpp"

#include <algorithm>

namespace plumb::refine {
namespace {

// Statuses: 0 is idle, then calls, then results.
constexpr std::uint32_t kIdle = 0, kFirstCall = 1, kFirstResult = 8192;
constexpr std::int64_t kResultBias = 1'000'000'000;

std::uint32_t status_of_call(model::CallNumber call) { return kFirstCall + call; }
std::uint32_t status_of_result(model::Cell result) {
  return static_cast<std::uint32_t>(kFirstResult + kResultBias + result);
}
bool is_called(std::uint32_t status) { return status >= kFirstCall && status < kFirstResult; }
bool is_effective(std::uint32_t status) { return status >= kFirstResult; }

}  // namespace

Monitor::Monitor(const model::Program& program, model::Sequential& sequential)
    : program_(program), sequential_(sequential), width_(program.processes() + 1), configs_(width_),
      orders_(program.processes()), results_(2) {
  intern({});
  const std::vector<std::uint32_t> start(width_, 0);
  static_assert(model::Sequential::kInitial == 0 && kIdle == 0);
  intern({configs_.number(start.data())});
}

SetId Monitor::intern(std::vector<Config> configs) {
  std::sort(configs.begin(), configs.end());
  configs.erase(std::unique(configs.begin(), configs.end()), configs.end());
  std::uint64_t hash = configs.size();
  for (const Config c : configs) hash = mix(hash ^ c);
  const auto next = static_cast<SetId>(begins_.size() - 1);
  const SetId found = index_.find_or_insert(hash, next, [&](SetId set) {
    const auto other = members(set);
    return std::equal(configs.begin(), configs.end(), other.begin(), other.end());
  });
  if (found == next) {
    members_.insert(members_.end(), configs.begin(), configs.end());
    begins_.push_back(members_.size());
    signatures_.emplace_back();
    closures_.emplace_back();
    largest_ = std::max(largest_, configs.size());
  }
  return found;
}

unsigned Monitor::linearized(Config config) const {
  const std::uint32_t* row = configs_[config];
  return static_cast<unsigned>(std::count_if(row + 1, row + width_, is_effective));
}

std::span<const Monitor::Tau> Monitor::taus(Config config) {
  constexpr auto kUnknown = static_cast<std::size_t>(-1);
  if (config >= tau_ranges_.size()) tau_ranges_.resize(config + 1, {kUnknown, 0});
  if (tau_ranges_[config].first == kUnknown) {
    const std::size_t begin = taus_.size();
    const std::vector<std::uint32_t> from(configs_[config], configs_[config] + width_);
    std::vector<std::uint32_t> to;
    for (std::uint32_t p = 0; p + 1 < width_; ++p) {
      if (!is_called(from[p + 1])) continue;
      for (const auto& outcome : sequential_.outcomes(from[0], from[p + 1] - kFirstCall)) {
        to = from;
        to[0] = outcome.state;
        to[p + 1] = status_of_result(outcome.result);
        taus_.push_back({configs_.number(to.data()), p, outcome.result});
      }
    }
    tau_ranges_[config] = {begin, taus_.size()};
  }
  const auto [begin, end] = tau_ranges_[config];
  return {taus_.data() + begin, taus_.data() + end};
}

bool Monitor::mark(Config config) {
  if (config >= marks_.size()) marks_.resize(std::max<std::size_t>(configs_.size(), config + 1), 0);
  if (marks_[config] == epoch_) return false;
  marks_[config] = epoch_;
  return true;
}

SetId Monitor::called(SetId set, std::uint32_t process, model::CallNumber call) {
  const auto action = static_cast<std::uint32_t>(process * program_.calls.size() + call);
  if (const auto* known = called_.find(set, action)) return *known;
  std::vector<Config> next;
  std::vector<std::uint32_t> row(width_);
  for (const Config config : members(set)) {
    std::copy(configs_[config], configs_[config] + width_, row.begin());
    row[process + 1] = status_of_call(call);
    next.push_back(configs_.number(row.data()));
  }
  const SetId to = intern(std::move(next));
  called_.enter(set, action, to);
  return to;
}

SetId Monitor::returned(SetId set, std::uint32_t process, model::Cell result) {
  const std::uint32_t pair[2] = {process, static_cast<std::uint32_t>(result)};
  const std::uint32_t action = results_.number(pair);
  if (const auto* known = returned_.find(set, action)) return *known;
  std::vector<Config> ends;
  std::vector<std::uint32_t> row(width_);
  const auto end = [&](Config config) {
    std::copy(configs_[config], configs_[config] + width_, row.begin());
    row[process + 1] = kIdle;
    ends.push_back(configs_.number(row.data()));
  };
  std::vector<Config> open;
  for (const Config config : members(set)) {
    const std::uint32_t status = configs_[config][process + 1];
    if (is_called(status)) open.push_back(config);
    else if (status == status_of_result(result)) end(config);
  }
  clear_marks();
  for (const Config config : open) mark(config);
  while (!open.empty()) {
    const Config config = open.back();
    open.pop_back();
    for (const Tau& tau : taus(config)) {
      if (tau.process != process) {
        if (mark(tau.to)) open.push_back(tau.to);
      } else if (tau.result == result) {
        end(tau.to);
      }
    }
  }
  const SetId to = minimal(std::move(ends));
  returned_.enter(set, action, to);
  return to;
}

SetId Monitor::minimal(std::vector<Config> configs) {
  std::sort(configs.begin(), configs.end());
  configs.erase(std::unique(configs.begin(), configs.end()), configs.end());
  if (configs.size() < 2) return intern(std::move(configs));
  unsigned most = 0;
  for (const Config c : configs) most = std::max(most, linearized(c));
  std::vector<Config> open;
  for (const Config c : configs)
    if (linearized(c) < most) open.push_back(c);
  clear_marks();
  while (!open.empty()) {
    const Config config = open.back();
    open.pop_back();
    for (const Tau& tau : taus(config))
      if (mark(tau.to) && linearized(tau.to) < most) open.push_back(tau.to);
  }
  std::erase_if(configs, [&](Config c) { return marked(c); });
  return intern(std::move(configs));
}

const std::vector<Monitor::Config>& Monitor::closure(SetId set) {
  if (closures_[set].empty() && set != kEmpty) {
    std::vector<Config>& all = closures_[set];
    all.assign(members(set).begin(), members(set).end());
    clear_marks();
    for (const Config config : all) mark(config);
    for (std::size_t at = 0; at < all.size(); ++at)
      for (const Tau& tau : taus(all[at]))
        if (mark(tau.to)) all.push_back(tau.to);
    std::sort(all.begin(), all.end());
    all.shrink_to_fit();
  }
  return closures_[set];
}

bool Monitor::includes(SetId larger, SetId smaller) {
  // A few generators against a large closure: looking each up is faster than merging.
  const std::vector<Config>& all = closure(larger);
  const auto some = members(smaller);
  return std::all_of(some.begin(), some.end(),
                     [&](Config c) { return std::binary_search(all.begin(), all.end(), c); });
}

// A generator in which nothing pending is effective is an order of the completed operations alone,
// and every such order is a generator: nothing reaches it. So these are the orders of H[e], for
// every pending e, and the question is only what e does there.
bool Monitor::may_be_stuck(SetId set, std::uint32_t& culprit) {
  std::vector<bool> pending(width_ - 1, false), blocked(width_ - 1, false);
  for (const Config config : members(set))
    for (std::uint32_t p = 0; p + 1 < width_; ++p)
      pending[p] = pending[p] || configs_[config][p + 1] != kIdle;
  for (const Config config : members(set)) {
    if (linearized(config) > 0) continue;
    for (std::uint32_t p = 0; p + 1 < width_; ++p) {
      const std::uint32_t status = configs_[config][p + 1];
      if (is_called(status) &&
          sequential_.outcomes(configs_[config][0], status - kFirstCall).empty())
        blocked[p] = true;
    }
  }
  for (std::uint32_t p = 0; p + 1 < width_; ++p)
    if (pending[p] && !blocked[p]) {
      culprit = p;
      return false;
    }
  return true;
}

SetId Monitor::permuted(SetId set, std::span<const std::uint8_t> order) {
  const std::uint32_t number = orders_.number(order.data());
  if (const auto* known = permuted_.find(set, number)) return *known;
  std::vector<Config> next;
  std::vector<std::uint32_t> row(width_);
  for (const Config config : members(set)) {
    row[0] = configs_[config][0];
    for (std::size_t i = 0; i + 1 < width_; ++i) row[i + 1] = configs_[config][order[i] + 1];
    next.push_back(configs_.number(row.data()));
  }
  const SetId to = intern(std::move(next));
  permuted_.enter(set, number, to);
  return to;
}

std::uint64_t Monitor::signature(SetId set, std::uint32_t process) {
  std::vector<std::uint64_t>& known = signatures_[set];
  if (known.empty()) {
    known.assign(width_ - 1, 0);
    for (const Config config : members(set)) {
      const std::uint32_t* row = configs_[config];
      std::uint64_t all = row[0];  // sums do not depend on the order
      for (std::size_t p = 1; p < width_; ++p) all += mix(row[p] + 0x51ed2701ULL);
      for (std::size_t p = 1; p < width_; ++p) known[p - 1] += mix(mix(all) ^ row[p]);
    }
  }
  return known[process];
}

}  // namespace plumb::refine
