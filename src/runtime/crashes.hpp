// SPDX-License-Identifier: MIT
// Signals that the program under test earned: findings of kind crash.
#pragma once

namespace plumb::runtime {

/// From now on such a signal is kept as a finding on the board, and ends the process.
/// Requires: execution.board is there.
void catch_signals();

}  // namespace plumb::runtime
