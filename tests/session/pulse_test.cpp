// SPDX-License-Identifier: MIT
// Which processes hang, and which only had no time.
#include "session/pulse.hpp"

#include <gtest/gtest.h>

namespace plumb::session {
namespace {

// A process in one state, of which nothing is seen on the board.
struct SilentProcess {
  struct Board {
    struct {
      runtime::Progress progress;
    } result;
  };
  Board shared;
  char in_state = 'R';
  double used = 0;  // seconds of a processor

  const Board& board() const { return shared; }
  char state() const { return in_state; }
  double cpu_seconds() const { return used; }
};

// After two seconds, if one is the limit.
Pulse::Sign sign_of(char state, double share_of_processor = 0) {
  SilentProcess process;
  process.in_state = state;
  Pulse pulse;
  Pulse::Sign sign = Pulse::Sign::alive;
  for (int tenth = 0; tenth <= 20 && sign == Pulse::Sign::alive; ++tenth) {
    process.used = 0.1 * tenth * share_of_processor;
    sign = pulse.look(process, 100 + 0.1 * tenth, 1);
  }
  return sign;
}

TEST(Pulse, AProcessHangsIfItComputesOrSleepsAndNothingHappens) {
  EXPECT_EQ(sign_of('R', 1), Pulse::Sign::hangs);
  EXPECT_EQ(sign_of('S'), Pulse::Sign::hangs);
}

TEST(Pulse, AProcessThatWaitsForTheMachineDoesNotHang) {
  EXPECT_EQ(sign_of('R'), Pulse::Sign::alive);       // for a processor
  EXPECT_EQ(sign_of('R', 0.4), Pulse::Sign::alive);  // likewise, now and then
  EXPECT_EQ(sign_of('D'), Pulse::Sign::alive);       // for a disk, or for memory that was swapped
}

TEST(Pulse, AStoppedProcessDoesNotHang) {
  EXPECT_EQ(sign_of('T'), Pulse::Sign::stopped);
  EXPECT_EQ(sign_of('t'), Pulse::Sign::stopped);
}

TEST(Pulse, AnyProgressBeginsAnew) {
  SilentProcess process;
  process.in_state = 'S';
  Pulse pulse;
  for (int tenth = 0; tenth <= 50; ++tenth) {
    if (tenth % 8 == 0) ++process.shared.result.progress.heartbeat;
    EXPECT_EQ(pulse.look(process, 100 + 0.1 * tenth, 1), Pulse::Sign::alive) << tenth;
  }
}

}  // namespace
}  // namespace plumb::session
