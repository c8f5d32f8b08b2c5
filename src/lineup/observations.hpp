// SPDX-License-Identifier: MIT
// Observation files (Line-Up, section 4.2 and Fig. 7): the serial histories of a test as XML, in
// sections of those that agree in what each thread did and saw. They can be read back: a
// specification that was frozen, or written by hand.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lineup/matrix.hpp"
#include "lineup/serial.hpp"

namespace plumb::lineup {

// With what has a meaning in XML written otherwise.
std::string xml_text(std::string_view text);

std::string to_xml(const Matrix& test, const Object& object, const SerialHistories& serial,
                   const Results& results);

// Empty: understood. Otherwise what is wrong, with its line. Histories of other tests are passed
// over.
std::string from_xml(std::string_view xml, const Matrix& test, const Object& object,
                     Results& results, SerialHistories& serial);

}  // namespace plumb::lineup
