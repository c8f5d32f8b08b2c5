// SPDX-License-Identifier: MIT
//! ConcurrentDictionary: "try_add(10,1), try_get(20) | try_add(20,1), try_remove(10)", preemptions 2: holds
//! ConcurrentDictionary: "set(10,1), count | set(20,2), clear | is_empty", preemptions 2: holds
//! ConcurrentDictionary: "pre set(10,1); try_update(10,2,1), get(10) | try_remove(10), contains_key(10)", preemptions 2: holds
#include "concurrent_dictionary.hpp"

#include <plumb/test.hpp>

using Dictionary = plumb::objects::ConcurrentDictionary;

int main(int argc, char** argv) {
  const auto keys = plumb::values(10, 20);
  const auto numbers = plumb::values(1, 2);
  return plumb::test(plumb::describe<Dictionary>("ConcurrentDictionary")
                         .method("count", &Dictionary::count)
                         .method("is_empty", &Dictionary::is_empty)
                         .method("clear", &Dictionary::clear)
                         .method("try_add", &Dictionary::try_add, keys, numbers)
                         .method("try_remove", &Dictionary::try_remove, keys)
                         .method("try_get", &Dictionary::try_get, keys)
                         .method("get", &Dictionary::get, keys)
                         .method("set", &Dictionary::set, keys, numbers)
                         .method("try_update", &Dictionary::try_update, keys, numbers, numbers)
                         .method("contains_key", &Dictionary::contains_key, keys))
      .main(argc, argv);
}
