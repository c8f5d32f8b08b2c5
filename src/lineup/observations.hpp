// SPDX-License-Identifier: MIT
// Observation files (Line-Up, section 4.2 and Fig. 7): the serial histories of a test as XML, in
// sections of those that agree in what each thread did and saw. They can be read back: a
// specification that was frozen, or written by hand.
#pragma once

#include <string>
#include <string_view>

#include "lineup/matrix.hpp"
#include "lineup/serial.hpp"

namespace plumb::lineup {

std::string to_xml(const Matrix& test, const Object& object, const SerialHistories& serial,
                   const Results& results);

/// Empty: understood. Otherwise what is wrong, "line 3: ...", and nothing was added. Histories of
/// other tests of the class are passed over; if all full ones are such, stuck ones are too, as they
/// do not tell.
std::string from_xml(std::string_view xml, const Matrix& test, const Object& object,
                     Results& results, SerialHistories& serial);

}  // namespace plumb::lineup
