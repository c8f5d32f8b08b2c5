/* SPDX-License-Identifier: MIT */
/* models/counter.plumb, step by step: as many states. spin -a -DN=3 counter.pml */
#ifndef N
#define N 3
#endif
#define SIZE 4

byte H = 0;

active [N] proctype process() {
  byte v = 0;
idle:
  if
  :: true -> goto push_read
  :: true -> goto pop_read
  fi;
push_read:
  v = H;
  if
  :: d_step { v == H -> H = (H < SIZE -> H + 1 : SIZE); v = 0 } goto push_return
  :: d_step { v != H -> v = 0 } goto push_read
  fi;
push_return:
  true;
  goto idle;
pop_read:
  v = H;
  if
  :: v == 0 -> goto pop_return
  :: d_step { v != 0 && v == H -> H = H - 1 } goto pop_return
  :: d_step { v != 0 && v != H -> v = 0 } goto pop_read
  fi;
pop_return:
  v = 0;
  goto idle
}
