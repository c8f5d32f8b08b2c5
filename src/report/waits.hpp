// SPDX-License-Identifier: MIT
// Who holds what, and who waits for what, where threads wait forever.
#pragma once

#include <string>

#include "report/finding.hpp"

namespace plumb::report {

/// "A holds a_ and waits for b_; B holds b_ and waits for a_". Empty: it is not known.
std::string waits_words(const Interleaving& stuck);

/// Whether there is a cycle of threads, each of which waits for what the next one holds or for its
/// end; with a name, one to which the waiting of that thread leads.
bool is_deadlock(const Interleaving& stuck, const std::string& thread = {});

}  // namespace plumb::report
