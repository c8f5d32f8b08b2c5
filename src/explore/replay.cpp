// SPDX-License-Identifier: MIT
#include "explore/replay.hpp"

#include <algorithm>
#include <new>

namespace plumb::explore {

std::size_t Replay::room(std::span<const std::uint8_t> schedule, std::size_t more) {
  return sizeof(ReplayHead) + 2 * schedule.size() + more;
}

Replay::Replay(std::span<const std::uint8_t> schedule, std::span<std::byte> memory)
    : FlatStrategy(nullptr, nullptr), head_(new (memory.data()) ReplayHead) {
  head_->version = kStateVersion;
  head_->kind = Kind::replay;
  head_->given = static_cast<std::uint32_t>(schedule.size());
  head_->capacity = static_cast<std::uint32_t>(std::min<std::size_t>(
      memory.size() - sizeof(ReplayHead) - schedule.size(), ~std::uint32_t{0}));
  std::copy(schedule.begin(), schedule.end(),
            reinterpret_cast<std::uint8_t*>(memory.data()) + sizeof(ReplayHead));
  head_->magic = kStateMagic;
  *this = Replay(memory);
}

Replay::Replay(std::span<std::byte> memory)
    : FlatStrategy(reinterpret_cast<StateHead*>(memory.data()), nullptr),
      head_(reinterpret_cast<ReplayHead*>(memory.data())),
      given_(reinterpret_cast<const std::uint8_t*>(memory.data()) + sizeof(ReplayHead)) {
  choices_ = reinterpret_cast<std::uint8_t*>(memory.data()) + sizeof(ReplayHead) + head_->given;
}

std::span<const std::byte> Replay::used() const {
  return {reinterpret_cast<const std::byte*>(head_),
          reinterpret_cast<const std::byte*>(choices_ + head_->position)};
}

int Replay::record(int choice) {
  choices_[head_->position++] = static_cast<std::uint8_t>(choice);
  return choice;
}

int Replay::choose(const Point& point) {
  if (stopped()) return kPrune;
  const std::uint32_t at = head_->position;
  if (at >= head_->capacity) return stop(Phase::overflow);
  if (at >= head_->given) return record(undisturbed(point));
  const int choice = given_[at];
  if (choice >= kValue) return diverge(Divergence::question, given_[at], point.enabled);
  if (!(point.enabled >> choice & 1)) return diverge(Divergence::choice, given_[at], point.enabled);
  return record(choice);
}

int Replay::choose_value(int count, int) {
  if (stopped()) return 0;
  const std::uint32_t at = head_->position;
  int value = 0;
  if (at >= head_->capacity) {
    stop(Phase::overflow);
    return 0;
  }
  if (at < head_->given) {
    value = given_[at] - kValue;
    if (value < 0 || value >= count) {
      diverge(value < 0 ? Divergence::question : Divergence::choice, given_[at],
              static_cast<std::uint64_t>(count));
      return 0;
    }
  }
  record(kValue + value);
  return value;
}

void Replay::ended(std::uint32_t, std::span<const Step>) {
  if (stopped()) return;
  if (head_->position < head_->given) diverge(Divergence::early, head_->given, head_->position);
  else stop(Phase::ended);
}

bool Replay::advance() {
  account();
  head_->phase = Phase::exhausted;
  return false;
}

}  // namespace plumb::explore
