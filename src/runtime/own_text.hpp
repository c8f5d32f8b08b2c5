// SPDX-License-Identifier: MIT
#pragma once

namespace plumb::runtime {

// Is this an instruction of the runtime itself, or of a library's part that is linked into it?
bool in_own_text(const void* pc);

}  // namespace plumb::runtime
