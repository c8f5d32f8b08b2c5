// SPDX-License-Identifier: MIT
// The list of real.hpp: included with PLUMB_REAL defined, so without a guard.
PLUMB_REAL(pthread_create)
PLUMB_REAL(pthread_join)
PLUMB_REAL(pthread_detach)
PLUMB_REAL(pthread_self)
PLUMB_REAL(malloc_usable_size)
PLUMB_REAL(__assert_fail)
PLUMB_REAL(abort)
PLUMB_REAL(exit)
