// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/wire/board.hpp"

namespace plumb::runtime {

/// Runs the search that the board describes on body(argument) and writes its result to the board.
/// Each new history is written to `pipe` if there is one. If there are `commands`, waits there for
/// the message that the board has been rewritten, and searches again.
void search(Board& board, int pipe, int commands, void* (*body)(void*), void* argument);

/// The text of the result that histories call `number`.
void send_name(std::uint64_t number, std::string_view text);

}  // namespace plumb::runtime
