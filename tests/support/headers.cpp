// SPDX-License-Identifier: MIT
// Nothing: its target is there for the precompiled headers of the tests (tests/CMakeLists.txt).
