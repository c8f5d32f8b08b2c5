// SPDX-License-Identifier: MIT
// From a byte of an object down to the innermost member there. What the path is called is decided
// on the way: members of the user's own types by their names; those of the C++ library, whose names
// are reserved (_M_elems, __value_), mostly not at all.
#include <dwarf.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include "dwarf/type.hpp"

namespace plumb::dwarf {
namespace {

bool is_reserved(std::string_view name) {
  return name.size() > 1 && name[0] == '_' &&
         (name[1] == '_' || std::isupper(static_cast<unsigned char>(name[1])) != 0);
}

// Types of which users see no parts.
bool is_opaque(std::string_view name) {
  constexpr std::array<std::string_view, 16> names = {"mutex",
                                                      "recursive_mutex",
                                                      "timed_mutex",
                                                      "recursive_timed_mutex",
                                                      "shared_mutex",
                                                      "shared_timed_mutex",
                                                      "condition_variable",
                                                      "condition_variable_any",
                                                      "once_flag",
                                                      "counting_semaphore",
                                                      "latch",
                                                      "barrier",
                                                      "thread",
                                                      "jthread",
                                                      "atomic_flag",
                                                      "atomic"};
  return std::ranges::find(names, name) != names.end();
}

// Members on the way to what their class holds, of which it has one.
bool is_content(std::string_view name) {
  constexpr std::array<std::string_view, 15> names = {
      "_M_elems", "_M_ptr",  "_M_head_impl", "_M_value",  "_M_payload",
      "_M_i",     "_M_impl", "__elems_",     "__a_value", "__ptr_",
      "__value_", "__val_",  "_M_base",      "_M_t",      "_M_p"};
  return std::ranges::find(names, name) != names.end();
}

// Nothing: it is no member of each object, or where it lies depends on the object.
std::optional<std::uint64_t> place_of(Dwarf_Die& member) {
  if (dwarf_hasattr(&member, DW_AT_bit_size)) return std::nullopt;  // not a byte's name
  if (dwarf_hasattr(&member, DW_AT_external) || dwarf_hasattr(&member, DW_AT_declaration))
    return std::nullopt;  // static
  if (dwarf_tag(&member) == DW_TAG_inheritance && number_of(member, DW_AT_virtuality).value_or(0))
    return std::nullopt;
  if (!dwarf_hasattr(&member, DW_AT_data_member_location)) return 0;  // of a union
  return number_of(member, DW_AT_data_member_location);
}

// Is it one of C's, such as pthread_mutex_t, of which users see no parts either?
bool is_of_c(const Type& type) {
  Dwarf_Die die;
  if (dwarf_child(&type.die(), &die) != 0) return false;
  return dwarf_tag(&die) == DW_TAG_member && name_of(die).starts_with("__");
}

bool is_empty(const Type& type) {
  Dwarf_Die die;
  if (!type.is_class() || dwarf_child(&type.die(), &die) != 0) return type.is_class();
  do {
    const int tag = dwarf_tag(&die);
    if (tag == DW_TAG_inheritance) return false;
    if (tag == DW_TAG_member && place_of(die)) return false;
  } while (dwarf_siblingof(&die, &die) == 0);
  return true;
}

std::vector<std::uint64_t> dimensions(const Type& array) {
  std::vector<std::uint64_t> counts;
  Dwarf_Die die;
  if (dwarf_child(&array.die(), &die) != 0) return counts;
  do {
    if (dwarf_tag(&die) != DW_TAG_subrange_type) continue;
    const std::optional<std::uint64_t> count = number_of(die, DW_AT_count);
    counts.push_back(count ? *count : number_of(die, DW_AT_upper_bound).value_or(0) + 1);
    counts.back() = std::max<std::uint64_t>(counts.back(), 1);
  } while (dwarf_siblingof(&die, &die) == 0);
  return counts;
}

// "[1][2]"
std::string index_text(std::uint64_t index, std::vector<std::uint64_t> counts) {
  std::string text;
  for (; !counts.empty(); counts.pop_back()) {
    const bool is_first = counts.size() == 1;
    const std::uint64_t at = is_first ? index : index % counts.back();
    if (!is_first) index /= counts.back();
    text.insert(0, "[" + std::to_string(at) + "]");
  }
  return text;
}

// Where the way down is.
struct Point {
  Part part;
  bool in_library = false;          // inside of a type of the C++ library
  bool opaque = false;              // inside of one of which nothing is shown
  std::vector<std::string> hidden;  // the library's members since then: not in the path yet
  std::uint64_t entry = 0;          // the offset in what the path ends with

  /// `offset`: in what was reached by the hidden members. Two parts must not have one name.
  void show_hidden(std::uint64_t offset) {
    std::string text;
    for (const std::string& name : hidden)
      if (!is_content(name)) text += "." + name;
    if (text.empty() && !hidden.empty() && entry != offset)
      text = "+" + std::to_string(entry - offset);
    part.path += text;
    hidden.clear();
    entry = offset;
  }
};

class Descent {
 public:
  explicit Descent(std::uint64_t size, const Type* wanted = nullptr)
      : size_(size), wanted_(wanted) {}

  /// Is `point`, from now on, whole?
  bool down(const Type& type, std::uint64_t offset, Point& point) const {
    point.part.type = type;
    point.part.offset = offset;
    if (wanted_ != nullptr && offset == 0 && type.is_same(*wanted_))
      return point.part.is_whole = true;
    if (type.is_array()) return into_array(type, offset, point);
    if (type.is_class()) return into_class(type, offset, point);
    return is_all_of(type, offset, point);
  }

 private:
  bool fits(const Type& type, std::uint64_t offset) const {
    return offset + std::max<std::uint64_t>(size_, 1) <= type.size();
  }

  bool is_all_of(const Type& type, std::uint64_t offset, Point& point) const {
    if (wanted_ != nullptr) return false;
    return point.part.is_whole = offset == 0 && (size_ == 0 || size_ == type.size());
  }

  bool into_array(const Type& type, std::uint64_t offset, Point& point) const {
    const std::optional<Type> element = Type::of(type.die(), type.unit());
    const std::uint64_t size = element ? element->size() : 0;
    // In the library, bytes are the room for a value that may not be there.
    if (size == 0 || (point.in_library && size == 1) || !fits(*element, offset % size))
      return is_all_of(type, offset, point);
    if (!point.opaque) {
      point.show_hidden(offset);
      point.part.path += index_text(offset / size, dimensions(type));
      point.entry = offset % size;
    }
    return down(*element, offset % size, point);
  }

  // Bases may be empty, and members of a union overlap: the first that fits.
  bool into_class(const Type& type, std::uint64_t offset, Point& point) const {
    if (type.unit().is_of_library(type.die())) {
      if (!point.in_library) point.entry = offset;
      point.in_library = true;
      point.opaque = point.opaque || is_opaque(type.name());
    } else if (is_of_c(type)) {
      point.opaque = true;
    }
    const Point here = point;
    std::optional<Point> best;
    Dwarf_Die die;
    if (dwarf_child(&type.die(), &die) != 0) return false;
    do {
      const int tag = dwarf_tag(&die);
      if (tag != DW_TAG_member && tag != DW_TAG_inheritance) continue;
      const std::optional<std::uint64_t> begin = place_of(die);
      if (!begin || *begin > offset) continue;
      const std::optional<Type> inner = Type::of(die, type.unit());
      if (!inner || !fits(*inner, offset - *begin) || is_empty(*inner)) continue;
      point = here;
      if (tag == DW_TAG_member) name_member(die, offset, point);
      if (down(*inner, offset - *begin, point)) return true;
      if (!best) best = point;
    } while (dwarf_siblingof(&die, &die) == 0);
    if (best) return point = *best, false;
    point = here;
    return into_unknown(type, offset, point) || is_all_of(type, offset, point);
  }

  // clang leaves out what a class is if another unit is sure to say it, such as the C++ library's.
  // Then what has no known size reaches up to the next member.
  bool into_unknown(const Type& type, std::uint64_t offset, Point& point) const {
    std::optional<Dwarf_Die> last;
    std::uint64_t last_begin = 0;
    Dwarf_Die die;
    if (dwarf_child(&type.die(), &die) != 0) return false;
    do {
      if (dwarf_tag(&die) != DW_TAG_member) continue;
      const std::optional<std::uint64_t> begin = place_of(die);
      if (!begin || *begin > offset || (last && *begin < last_begin)) continue;
      last = die;
      last_begin = *begin;
    } while (dwarf_siblingof(&die, &die) == 0);
    if (!last) return false;
    const std::optional<Type> inner = Type::of(*last, type.unit());
    if (!inner || !inner->is_class() || inner->size() != 0) return false;
    name_member(*last, offset, point);
    point.part.type = inner;
    point.part.offset = offset - last_begin;
    return point.part.is_whole = point.part.offset == 0 && size_ == 0;
  }

  // `offset`: in the class.
  static void name_member(Dwarf_Die& member, std::uint64_t offset, Point& point) {
    std::string name = name_of(member);
    if (name.empty() || point.opaque) return;
    if (name.starts_with("_vptr")) name = "vptr";  // and the class, in a way of each compiler
    if (point.in_library && is_reserved(name)) {
      point.hidden.push_back(name);
      return;
    }
    point.show_hidden(offset);
    point.part.path += "." + name;
    point.in_library = false;
  }

  std::uint64_t size_;
  const Type* wanted_;
};

Part finished(Point point) {
  point.show_hidden(point.part.offset);
  return std::move(point.part);
}

}  // namespace

Part part_of(const Type& type, std::uint64_t offset, std::uint64_t size) {
  Point point;
  Descent(size).down(type, offset, point);
  return finished(std::move(point));
}

Part part_of(const Type& type, std::uint64_t offset, const Type& wanted) {
  Point point;
  if (Descent(wanted.size(), &wanted).down(type, offset, point)) return finished(std::move(point));
  return part_of(type, offset, wanted.size());
}

}  // namespace plumb::dwarf
