// SPDX-License-Identifier: MIT
#include "runtime/memory/access_log.hpp"

#include "runtime/memory/map_lazily.hpp"

namespace plumb::runtime {

bool AccessLog::reserve() {
  if (log_ == nullptr) log_ = static_cast<explore::Accessed*>(map_lazily(kMost * sizeof *log_));
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
