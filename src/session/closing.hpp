// SPDX-License-Identifier: MIT
// The end of a program under test, as its parent process learns of it.
#pragma once

namespace plumb::session {

/// Says on the pipe of base/closing_record.hpp, if there is one, how this process ends.
void write_closing_record(int status);

/// Leaves with what was printed so far. What the program would do at its exit (handlers,
/// destructors of globals) can neither lose the report nor change the status.
[[noreturn]] void leave(int status);

}  // namespace plumb::session
