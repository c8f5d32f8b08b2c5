// SPDX-License-Identifier: MIT
// Any bytes as text in XML, and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plumb::lineup {

/// With what has a meaning in XML, or none, written otherwise.
std::string xml_text(std::string_view text);

/// What it stands for. None: there is a reference, at `at`, that means nothing here.
std::optional<std::string> from_xml_text(std::string_view text, std::size_t& at);

}  // namespace plumb::lineup
