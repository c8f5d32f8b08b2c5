// SPDX-License-Identifier: MIT
// operator new and its family, of which only the pairs are watched: what new[] made is not for
// delete, and neither is for free().
//
// The functions themselves are those of the C++ library, which allocate by malloc(). Its others
// (sized, that do not throw) call these. Aligned ones, and those that a program replaces, leave
// their blocks without a mark; such a block may be freed in any way.
#include <dlfcn.h>

#include <cstddef>

#include "runtime/hooks/hook.hpp"
#include "runtime/schedule/accesses.hpp"

using namespace plumb::runtime;

namespace {

template <class Function>
Function* next_named(const char* symbol) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, symbol));
}

using New = void*(std::size_t);
using Delete = void(void*);
constinit New* next_new = nullptr;
constinit New* next_new_array = nullptr;
constinit Delete* next_delete = nullptr;
constinit Delete* next_delete_array = nullptr;

// Others may allocate before this constructor runs.
__attribute__((constructor)) void find_next() {
  if (next_delete_array != nullptr) return;
  next_new = next_named<New>("_Znwm");
  next_new_array = next_named<New>("_Znam");
  next_delete = next_named<Delete>("_ZdlPv");
  next_delete_array = next_named<Delete>("_ZdaPv");
}

void* marked(void* block, Heap::Maker maker) {
  if (execution.memory.heap.is_block(block)) Heap::set_maker(block, maker);
  return block;
}

// From here on it is a block like any other.
void check_maker(void* p, Heap::Maker wrong, const char* what, const void* pc) {
  const Heap& heap = execution.memory.heap;
  if (!heap.is_block(p) || heap.shadow(p) == Heap::freed) return;
  if (inside() && Heap::maker(p) == wrong) execution.fail(FindingKind::bad_free, what, p, 0, pc);
  Heap::set_maker(p, Heap::Maker::malloc);
}

}  // namespace

// By their mangled names: the compiler wants all of the family where it sees one of them.
PLUMB_HOOK void* _Znwm(std::size_t bytes) {
  find_next();
  return marked(next_new(bytes), Heap::Maker::object);
}

PLUMB_HOOK void* _Znam(std::size_t bytes) {
  find_next();
  return marked(next_new_array(bytes), Heap::Maker::array);
}

PLUMB_HOOK void _ZdlPv(void* p) noexcept {
  find_next();
  check_maker(p, Heap::Maker::array, "deletes by delete what new[] made", PLUMB_PC);
  next_delete(p);
}

PLUMB_HOOK void _ZdaPv(void* p) noexcept {
  find_next();
  check_maker(p, Heap::Maker::object, "deletes by delete[] what new made", PLUMB_PC);
  next_delete_array(p);
}
