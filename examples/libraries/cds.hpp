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

// Registrations are counted, so a thread may register twice.
inline void attach_to_cds() { cds::threading::Manager::attachThread(); }
inline void detach_from_cds() { cds::threading::Manager::detachThread(); }

struct CdsThread {
  CdsThread() { attach_to_cds(); }
  ~CdsThread() { detach_from_cds(); }
};

template <class Container>
class WithCds {
 public:
  Container& operator*() { return container_; }

 private:
  CdsLibrary library_;
  cds::gc::HP collector_{Container::c_nHazardPtrCount, 8, 4};
  CdsThread main_;  // the destructor of a container empties it
  Container container_;
};
