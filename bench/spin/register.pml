/* SPDX-License-Identifier: MIT */
/* models/register.plumb, step by step: as many states. spin -a -DREADERS=2 register.pml */
#ifndef READERS
#define READERS 2
#endif
#define K 4

bit B[K] = { 1, 0, 0, 0 };

active proctype writer() {
  byte v = 0;
idle:
  if
  :: v = 0
  :: v = 1
  :: v = 2
  :: v = 3
  fi;
  if
  :: d_step { v > 0 -> B[v] = 1; v = v - 1 } goto clear
  :: d_step { v == 0 -> B[0] = 1 } goto return_
  fi;
clear:
  if
  :: d_step { v > 0 -> B[v] = 0; v = v - 1 } goto clear
  :: d_step { v == 0 -> B[0] = 0 } goto return_
  fi;
return_:
  true;
  goto idle
}

active [READERS] proctype reader() {
  byte i = 0, v = 0;
idle:
  true;
up:
  if
  :: d_step { B[i] == 0 -> i = i + 1 } goto up
  :: d_step { B[i] == 1 && i > 0 -> v = i; i = i - 1 } goto down
  :: d_step { B[i] == 1 && i == 0 -> v = 0 } goto return_
  fi;
down:
  if
  :: d_step { i > 0 -> v = (B[i] -> i : v); i = i - 1 } goto down
  :: d_step { i == 0 -> v = (B[0] -> 0 : v) } goto return_
  fi;
return_:
  v = 0;
  goto idle
}
