// SPDX-License-Identifier: MIT
#pragma once

namespace plumb::runtime {

/// What runs on a thread after its function: destructors of thread_local variables, latest first,
/// then those of pthread keys. May stop at scheduling points, like the function.
void run_thread_end();

}  // namespace plumb::runtime
