// SPDX-License-Identifier: MIT
// What libcds wants of who uses it: that the library is there before its containers, and that each
// thread says so before it calls one, and when it ends.
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
