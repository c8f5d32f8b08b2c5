// SPDX-License-Identifier: MIT
// The ways in which a program says that something is wrong with it. Inside an execution they are
// findings, and the process lives on.
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/real.hpp"
#include "runtime/base/text.hpp"
#include "runtime/schedule/execution.hpp"

using namespace plumb::runtime;

#define PLUMB_HOOK extern "C" __attribute__((visibility("default")))
#define PLUMB_PC __builtin_return_address(0)

PLUMB_HOOK void __assert_fail(const char* assertion, const char* file, unsigned line,
                              const char* function) noexcept {
  if (!inside()) real().__assert_fail(assertion, file, line, function);
  Text text;
  text << assertion;
  execution.fail(FindingKind::assertion, text.c_str(), nullptr, 0, PLUMB_PC);
}

PLUMB_HOOK void abort() noexcept {
  if (!inside()) real().abort();
  execution.fail(FindingKind::assertion, "abort() was called", nullptr, 0, PLUMB_PC);
}

PLUMB_HOOK void exit(int status) noexcept {
  if (!inside()) real().exit(status);
  execution.fail(FindingKind::assertion, "exit() was called", nullptr, 0, PLUMB_PC);
}
