// SPDX-License-Identifier: MIT
// The viewer's script and style, as the build makes them out of viewer/; and their SHA-256.
#pragma once

#include <string_view>

namespace plumb::report {

extern const std::string_view kViewerScript, kViewerStyle;
extern const std::string_view kViewerScriptHash, kViewerStyleHash;  // hexadecimal

}  // namespace plumb::report
