// SPDX-License-Identifier: MIT
// What libcds requires of its users: the library is initialised before its containers, and each
// thread is attached before it calls one and detached when it ends.
#pragma once

#include <cds/gc/hp.h>
#include <cds/init.h>

struct CdsLibrary {
  CdsLibrary() { cds::Initialize(); }
  ~CdsLibrary() { cds::Terminate(); }
};

struct CdsThread {
  CdsThread() { cds::threading::Manager::attachThread(); }
  ~CdsThread() { cds::threading::Manager::detachThread(); }
};

template <class Container>
class WithCds {
 public:
  // The calling thread is attached at its first call.
  Container& operator*() {
    thread_local CdsThread thread;
    return container_;
  }

 private:
  CdsLibrary library_;
  cds::gc::HP collector_{Container::c_nHazardPtrCount, 8, 4};
  CdsThread main_;
  Container container_;
};
