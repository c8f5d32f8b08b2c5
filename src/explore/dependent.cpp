// SPDX-License-Identifier: MIT
#include "explore/dependent.hpp"

namespace plumb::explore {

bool conflict(const Access& a, const Access& b) {
  if (a.touch == Touch::read && b.touch == Touch::read) return false;
  return a.address < b.address + b.size && b.address < a.address + a.size;
}

bool conflict(const Step& a, const Step& b) {
  if (a.everything || b.everything) return true;
  for (int i = 0; i < a.count; ++i)
    for (int k = 0; k < b.count; ++k)
      if (conflict(a.accesses[i], b.accesses[k])) return true;
  return false;
}

bool dependent(const Step& a, const Step& b) {
  return (a.returns && b.calls) || (a.calls && b.returns) || conflict(a, b);
}

}  // namespace plumb::explore
