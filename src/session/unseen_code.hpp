// SPDX-License-Identifier: MIT
// Code without hooks that took part, by the names of its functions.
#pragma once

#include <vector>

#include "report/report.hpp"
#include "runtime/wire/board.hpp"

namespace plumb::session {

std::vector<report::UnseenCode> unseen_code(const runtime::Board& board);

}  // namespace plumb::session
