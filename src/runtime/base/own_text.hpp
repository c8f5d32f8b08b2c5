// SPDX-License-Identifier: MIT
// Whose code called a hook?
#pragma once

namespace plumb::runtime {

/// The runtime's own, or of a library's part that is linked into it?
bool in_own_text(const void* pc);

/// That of the C library, the loader or the unwinder? Also yes before this library is initialised.
bool in_c_library(const void* pc);

}  // namespace plumb::runtime
