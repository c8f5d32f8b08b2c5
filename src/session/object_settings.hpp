// SPDX-License-Identifier: MIT
// What a user can say about the test of an object, besides what can be said about any exploration.
#pragma once

#include <string>
#include <vector>

#include "lineup/campaign.hpp"

namespace plumb::session {

struct ObjectSettings {
  lineup::CampaignSettings campaign;
  std::vector<std::string> tests;    // as text
  std::vector<std::string> without;  // methods
  std::string initial, final;        // as text, for all tests that are made up
  std::vector<std::string> units;    // as text
  std::string observations;          // a file: written, or read if it is there
  bool statistics = false;
};

// Takes its own words out of `words`. Empty: understood.
std::string parse_object(std::vector<std::string>& words, ObjectSettings& settings);

// What the settings mean for this object. Empty: understood.
std::string bind(ObjectSettings& settings, lineup::Object& object);

inline constexpr char kObjectHelp[] =
    R"(  --test TEXT            this test, such as 'pre push(1); pop | pop, push(2); post pop'; may be repeated
  --operations N         all tests of up to N operations, smallest first (4)
  --threads N            ... on up to N threads (3)
  --random N             and then N tests at random (100)
  --size RxC             ... of R operations on each of C threads (3x3)
  --sequence TEXT        what tests are made of: operations that are called one after the other; may be
                         repeated (each operation by itself)
  --pre TEXT, --post TEXT
                         what the main thread calls before and after the others
  --without METHOD       leave a method out; may be repeated
  --classic              only results are judged, not that an operation waits for ever
  --allow-nondeterminism METHOD
                         it may have several outcomes; all that it has serially are right; may be repeated
  --all-histories        count all violating histories of a test
  --no-shrink            show a failing test as it was found
  --observations FILE    the serial histories of one test: read if the file is there, else written
  --shard I/N            only each N-th test, from the I-th on (1/1)
)";

}  // namespace plumb::session
