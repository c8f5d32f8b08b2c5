// SPDX-License-Identifier: MIT
// plumb test examples/explore/lock_order.cpp
#include <mutex>
#include <thread>

#include <plumb/explore.hpp>

struct Account {
  std::mutex mutex;
  int balance = 10;
};

void transfer(Account& from, Account& to, int amount) {
  const std::lock_guard first(from.mutex);
  const std::lock_guard second(to.mutex);
  from.balance -= amount;
  to.balance += amount;
}

int main(int argc, char** argv) {
  return plumb::explore_main(argc, argv, [] {
    Account a, b;
    std::thread other([&] { transfer(a, b, 1); });
    transfer(b, a, 2);
    other.join();
  });
}
