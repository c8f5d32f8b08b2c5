// SPDX-License-Identifier: MIT
// A failure as a C++ file for a test suite: it fails as long as the mistake is there, and
// needs nothing of the run that wrote it.
//
// It is the program that was tested, included, with options: the test that fails; the schedule that
// showed it, which is run first; and the preemptions that it took. Once the code has changed that
// schedule may mean something else, or nothing; so what is searched after it counts.
#pragma once

#include <string>

#include "plumb/result.hpp"
#include "plumb/test_abi.hpp"

namespace plumb::session {

struct RegressionTest {
  std::string title;    // "TicketQueue is not linearizable: push(1), try_pop() | push(1)"
  std::string story;    // lines for people
  std::string options;  // as on a command line
};

/// "the \"text\"", as C++ reads it.
std::string cpp_text(const std::string& text);

/// The file in which the test of the object is written: `name` if that is a source, as plumb test
/// says, else what the compiler said. Empty: not known, or not there any more.
std::string source_of(const plumb_object& object, const std::string& name);

Status write_regression(const std::string& file, const std::string& source,
                        const RegressionTest& regression);

}  // namespace plumb::session
