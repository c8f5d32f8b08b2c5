// SPDX-License-Identifier: MIT
#pragma once

namespace plumb::bench {

/// Each program's own. Returns: its exit status.
int run(int argc, char** argv);

}  // namespace plumb::bench
