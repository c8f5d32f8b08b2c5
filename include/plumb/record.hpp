// SPDX-License-Identifier: MIT
// Another name of recorder.hpp.
#pragma once

#include "plumb/recorder.hpp"
