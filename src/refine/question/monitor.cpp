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
//  * A call adds "called" to each generator. This does not make one configuration reach another,
//    because the new operation is effective in neither.
//  * A return of p with v keeps the configurations in which p is effective with v. Each of them is
//    reached from a generator by a path of taus; cut the path just after p took effect: what is
//    left of it are taus of others. So the ends of all paths that end with p generate the new set.
//
// (Without generators, which is a switch for comparison, the whole set is kept.)
// One set includes another if each generator of the other is reached from one of its own.
//
// Sets, and what becomes of a set by each action, are remembered, and shared by all threads: most
// look-ups hit. The numbers of configurations and sets depend on who came first, so nothing that
// the search does may depend on them: they are only ever compared for equality.
#include "refine/question/monitor.hpp"

#include <algorithm>
#include <cstdlib>

namespace plumb::refine {
namespace {

constexpr std::int64_t kResultBias = 1'000'000'000;
constexpr std::size_t kStripeBlock = 1 << 14;  // words that a stripe asks for at a time
constexpr std::size_t kMostClosed = 1 << 22;   // configurations in closures that a thread keeps

std::uint32_t hash_of(const std::vector<model::Cell>& cells) {
  std::uint64_t hash = cells.size();
  for (const model::Cell cell : cells) hash = mix(hash ^ static_cast<std::uint32_t>(cell));
  return static_cast<std::uint32_t>(hash) | 1;  // 0: not known yet
}

}  // namespace

Sets::Sets(const model::Program& program, bool generators)
    : program_(program), generators_(generators), width_(program.processes() + 1),
      sequential_(program), configs_(width_), orders_(program.processes()) {
  note_hash(model::Sequential::kInitial);
}

void Sets::note_hash(std::uint32_t state) {
  std::uint32_t& known = *state_hashes_.make(state);
  if (!known) known = hash_of(sequential_.cells(state));
}

Sets::~Sets() {
  for (std::uint32_t which = 0; which < kStripes; ++which)
    for (std::uint32_t i = 0; i < configs_.size(which); ++i)
      std::free(*taus_.make(i * kStripes + which));
}

std::size_t Sets::size() const {
  std::size_t size = 1;  // the empty one
  for (const Stripe& stripe : stripes_) size += stripe.size;
  return size;
}

std::size_t Sets::largest() const {
  std::size_t largest = 0;
  for (const Stripe& stripe : stripes_) largest = std::max(largest, stripe.largest);
  return largest;
}

SetId Sets::intern(std::vector<Config>& configs) {
  if (configs.empty()) return Monitor::kEmpty;
  std::sort(configs.begin(), configs.end());
  configs.erase(std::unique(configs.begin(), configs.end()), configs.end());
  const std::uint64_t hash = hash_row(configs.data(), configs.size());
  const auto which = static_cast<std::uint32_t>(hash % kStripes);
  Stripe& stripe = stripes_[which];
  const std::lock_guard lock(stripe.mutex);
  require_number(stripe.size + 1);  // 0 is the empty set
  const std::uint32_t next = stripe.size * kStripes + which;
  const std::uint32_t found = stripe.index.find_or_insert(hash, next, [&](std::uint32_t number) {
    const Entry& entry = *entries_.at(number);
    return std::equal(configs.begin(), configs.end(), entry.members, entry.members + entry.size);
  });
  if (found != next) return found + 1;
  const std::size_t words = configs.size() + width_ - 1;
  if (stripe.room < words) {
    stripe.room = std::max(kStripeBlock, words);
    stripe.blocks.push_back(std::make_unique_for_overwrite<std::uint32_t[]>(stripe.room));
  }
  // Blocks are filled from their ends, so that what is left of one is one number.
  stripe.room -= words;
  std::uint32_t* members = stripe.blocks.back().get() + stripe.room;
  std::copy(configs.begin(), configs.end(), members);
  std::uint32_t* signatures = members + configs.size();
  std::fill_n(signatures, width_ - 1, 0);
  for (const Config config : configs) {
    const std::uint32_t* row = configs_[config];
    std::uint64_t all = *state_hashes_.at(row[0]);  // sums do not depend on the order
    for (std::size_t p = 1; p < width_; ++p) all += mix(row[p] + 0x51ed2701ULL);
    all = mix(all);
    for (std::size_t p = 1; p < width_; ++p)
      signatures[p - 1] += static_cast<std::uint32_t>(mix(all ^ row[p]));
  }
  *entries_.make(next) = {members, static_cast<std::uint32_t>(configs.size())};
  ++stripe.size;
  stripe.largest = std::max(stripe.largest, configs.size());
  return next + 1;
}

const Sets::Taus* Sets::find_taus(Config config) {
  std::vector<Tau> list;
  const std::vector<std::uint32_t> from(configs_[config], configs_[config] + width_);
  std::vector<std::uint32_t> to;
  for (std::uint32_t p = 0; p + 1 < width_; ++p) {
    if (!Monitor::is_called(from[p + 1])) continue;
    const std::lock_guard lock(sequential_mutex_);
    for (const auto& outcome : sequential_.outcomes(from[0], from[p + 1] - Monitor::kFirstCall)) {
      note_hash(outcome.state);
      to = from;
      to[0] = outcome.state;
      to[p + 1] = Monitor::status_of_result(outcome.result);
      list.push_back({configs_.number(to), p, outcome.result});
    }
    if (sequential_.fault()) faulty_ = true;
  }
  auto* taus = static_cast<Taus*>(std::malloc(sizeof(Taus) + list.size() * sizeof(Tau)));
  if (!taus) throw std::bad_alloc();
  taus->count = static_cast<std::uint32_t>(list.size());
  std::copy(list.begin(), list.end(), taus->list);
  // Another thread may have come first.
  Taus* other = nullptr;
  if (std::atomic_ref(*taus_.at(config)).compare_exchange_strong(other, taus)) return taus;
  std::free(taus);
  return other;
}

std::uint32_t Monitor::status_of_result(model::Cell result) {
  return static_cast<std::uint32_t>(kFirstResult + kResultBias + result);
}

SetId Monitor::initial() {
  static_assert(model::Sequential::kInitial == 0 && kIdle == 0);
  std::fill(row_.begin(), row_.end(), 0);
  std::vector<Config> configs = {sets_.configs_.number(row_)};
  return sets_.intern(configs);
}

unsigned Monitor::linearized(Config config) const {
  const std::uint32_t* row = sets_.configs_[config];
  return static_cast<unsigned>(std::count_if(row + 1, row + width_, is_effective));
}

Monitor::Config Monitor::changed(Config config, std::uint32_t process, std::uint32_t status) {
  std::copy_n(sets_.configs_[config], width_, row_.begin());
  row_[process + 1] = status;
  return sets_.configs_.number(row_);
}

bool Monitor::mark(Config config) {
  if (config >= marks_.size()) marks_.resize(std::max<std::size_t>(marks_.size() * 2, config + 1));
  if (marks_[config] == epoch_) return false;
  marks_[config] = epoch_;
  return true;
}

SetId Monitor::called(SetId set, std::uint32_t process, model::CallNumber call) {
  const auto action = static_cast<std::uint32_t>(process * sets_.program_.calls.size() + call);
  if (const auto known = sets_.called_.find(set, action)) return *known;
  const SetId to = after_call(set, process, call);
  sets_.called_.enter(set, action, to);
  return to;
}

SetId Monitor::after_call(SetId set, std::uint32_t process, model::CallNumber call) {
  std::vector<Config> next;
  for (const Config config : sets_.members(set))
    next.push_back(changed(config, process, status_of_call(call)));
  return sets_.generators_ ? sets_.intern(next) : closure(next);
}

SetId Monitor::returned(SetId set, std::uint32_t process, model::Cell result) {
  // Results beyond this are not remembered.
  constexpr model::Cell kMost = 1 << 27;
  const bool small = result >= -kMost && result < kMost;
  const std::uint32_t action = process << 28 | static_cast<std::uint32_t>(result + kMost);
  if (const auto known = small ? sets_.returned_.find(set, action) : std::nullopt) return *known;
  const SetId to = after_return(set, process, result);
  if (small) sets_.returned_.enter(set, action, to);
  return to;
}

SetId Monitor::after_return(SetId set, std::uint32_t process, model::Cell result) {
  std::vector<Config> ends, open;
  for (const Config config : sets_.members(set)) {
    const std::uint32_t status = sets_.configs_[config][process + 1];
    if (is_called(status)) open.push_back(config);
    else if (status == status_of_result(result)) ends.push_back(changed(config, process, kIdle));
  }
  clear_marks();
  for (const Config config : open) mark(config);
  while (!open.empty()) {
    const Config config = open.back();
    open.pop_back();
    for (const Sets::Tau& tau : sets_.taus(config)) {
      if (tau.process != process) {
        if (mark(tau.to)) open.push_back(tau.to);
      } else if (tau.result == result) {
        ends.push_back(changed(tau.to, process, kIdle));
      }
    }
  }
  return sets_.generators_ ? minimal(ends) : closure(ends);
}

SetId Monitor::minimal(std::vector<Config>& configs) {
  std::sort(configs.begin(), configs.end());
  configs.erase(std::unique(configs.begin(), configs.end()), configs.end());
  if (configs.size() < 2) return sets_.intern(configs);
  unsigned most = 0;
  for (const Config c : configs) most = std::max(most, linearized(c));
  std::vector<Config> open;
  for (const Config c : configs)
    if (linearized(c) < most) open.push_back(c);
  clear_marks();
  while (!open.empty()) {
    const Config config = open.back();
    open.pop_back();
    for (const Sets::Tau& tau : sets_.taus(config))
      if (mark(tau.to) && linearized(tau.to) < most) open.push_back(tau.to);
  }
  std::erase_if(configs, [&](Config c) { return marked(c); });
  return sets_.intern(configs);
}

// Adds all that is reached by taus.
void Monitor::close(std::vector<Config>& configs) {
  clear_marks();
  for (const Config config : configs) mark(config);
  for (std::size_t at = 0; at < configs.size(); ++at)
    for (const Sets::Tau& tau : sets_.taus(configs[at]))
      if (mark(tau.to)) configs.push_back(tau.to);
}

SetId Monitor::closure(std::vector<Config>& configs) {
  close(configs);
  return sets_.intern(configs);
}

void Monitor::mark_closure(SetId set) {
  if (marked_set_ == set) return;
  clear_marks();
  if (closed_ > kMostClosed) {  // then the memory is better used otherwise
    closures_.clear();
    closed_ = 0;
  }
  std::vector<Config>& all = closures_[set];
  for (const Config config : all) mark(config);
  if (all.empty()) {
    all.assign(sets_.members(set).begin(), sets_.members(set).end());
    close(all);
    closed_ += all.size();
  }
  marked_set_ = set;
}

bool Monitor::includes(SetId larger, SetId smaller) {
  if (larger == smaller) return true;
  if (const auto known = sets_.included_.find(larger, smaller)) return *known;
  const bool all = find_inclusion(larger, smaller);
  sets_.included_.enter(larger, smaller, all);
  return all;
}

bool Monitor::find_inclusion(SetId larger, SetId smaller) {
  mark_closure(larger);
  const auto some = sets_.members(smaller);
  return std::all_of(some.begin(), some.end(), [&](Config c) { return marked(c); });
}

// A generator in which nothing pending is effective is an order of the completed operations alone,
// and every such order is a generator: nothing reaches it. So these are the orders of H[e], for
// every pending e, and the question is only what e does there.
bool Monitor::may_be_stuck(SetId set, std::uint32_t& culprit) {
  std::vector<bool> pending(width_ - 1, false), blocked(width_ - 1, false);
  for (const Config config : sets_.members(set)) {
    const std::uint32_t* row = sets_.configs_[config];
    for (std::uint32_t p = 0; p + 1 < width_; ++p) pending[p] = pending[p] || row[p + 1] != kIdle;
    if (linearized(config) > 0) continue;
    std::vector<bool> moves(width_ - 1, false);
    for (const Sets::Tau& tau : sets_.taus(config)) moves[tau.process] = true;
    for (std::uint32_t p = 0; p + 1 < width_; ++p)
      if (is_called(row[p + 1]) && !moves[p]) blocked[p] = true;
  }
  for (std::uint32_t p = 0; p + 1 < width_; ++p)
    if (pending[p] && !blocked[p]) {
      culprit = p;
      return false;
    }
  return true;
}

SetId Monitor::permuted(SetId set, std::span<const std::uint8_t> order) {
  if (set == kEmpty) return set;
  std::uint32_t number = 0;
  if (order.size() > 8) number = sets_.orders_.number(order);
  else
    for (const std::uint8_t p : order) number = number << 4 | p;
  if (const auto known = sets_.permuted_.find(set, number)) return *known;
  std::vector<Config> next;
  for (const Config config : sets_.members(set)) {
    const std::uint32_t* from = sets_.configs_[config];
    row_[0] = from[0];
    for (std::size_t i = 0; i + 1 < width_; ++i) row_[i + 1] = from[order[i] + 1];
    next.push_back(sets_.configs_.number(row_));
  }
  const SetId to = sets_.intern(next);
  sets_.permuted_.enter(set, number, to);
  return to;
}

}  // namespace plumb::refine
