// SPDX-License-Identifier: MIT
// Code that was compiled without hooks: inline assembly, object files and libraries that are used
// as they are. Breakpoints take the place of hooks: at locked instructions, at all accesses of
// functions that have no hook, at clocks and random numbers of the processor, at system calls.
#pragma once

namespace plumb::runtime {

/// Looks for such code, and sets breakpoints in it. To be called once, before the first execution.
/// `all`: also where there are hooks. A debugger steps through code itself.
void watch_unseen_code(bool all, bool is_debugged);

}  // namespace plumb::runtime
