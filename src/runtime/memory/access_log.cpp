// SPDX-License-Identifier: MIT
#include "runtime/memory/access_log.hpp"

#include <sys/mman.h>

namespace plumb::runtime {

bool AccessLog::reserve() {
  if (log_ != nullptr) return true;
  void* const memory = mmap(nullptr, kMost * sizeof *log_, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory != MAP_FAILED) log_ = static_cast<explore::Accessed*>(memory);
  return log_ != nullptr;
}

void AccessLog::reset() {
  count_ = step_ = 0;
  transactions_ = 0;
  current_ = {};
}

void AccessLog::add(const explore::Accessed& access) {
  if (count_ == kMost) return;
  Current& current = current_[access.thread];
  if (access.operation < 0 || access.operation != current.operation)
    current = {access.operation, transactions_++};
  log_[count_] = access;
  log_[count_++].transaction = current.transaction;
}

}  // namespace plumb::runtime
