// SPDX-License-Identifier: MIT
#pragma once

namespace plumb::runtime {

/// Has the program said that races on it do no harm?
bool is_benign(const void* address);

}  // namespace plumb::runtime
