// SPDX-License-Identifier: MIT
#include "main.hpp"

#include <cstdio>
#include <exception>

int main(int argc, char** argv) try {
  return plumb::bench::run(argc, argv);
} catch (const std::exception& e) {
  std::fputs(e.what(), stderr);
  return 70;
}
