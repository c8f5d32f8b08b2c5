// SPDX-License-Identifier: MIT
// A history as few bytes, for the page (viewer/src/decode.ts reads them).
#pragma once

#include <string>

#include "report/report.hpp"

namespace plumb::report {

/// Columns of variable-length numbers: an operation of a million takes about ten bytes when they
/// are compressed.
std::string packed_history(const HistoryView& view);

}  // namespace plumb::report
