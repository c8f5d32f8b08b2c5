// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "check/monitors/collection.hpp"
#include "check/problem/value_numbers.hpp"

namespace plumb {

/// Reads a problem once, and finds out which removal took what was added by whom.
class CollectionReader {
 public:
  explicit CollectionReader(const Problem& problem)
      : problem_(problem), numbers_(problem.ops.size() / 2) {
    out_.problem = &problem;
  }

  /// Returns: whether it is a collection whose elements can be told apart; else see `reason`.
  bool read() {
    return read_labels() && read_initial() && read_adds() && read_takes() && tell_apart() &&
           (tidy(), true);
  }
  std::string reason;
  /// A violation that was found on the way, if its core is not empty.
  Conflict conflict;
  Collection& collection() { return out_; }
  std::size_t bytes() const {
    return numbers_.bytes() + codes_.capacity() * 4 + element_of_.capacity() * 4;
  }

 private:
  /// What a label does: a number of a value, and whether it is taken; or one of these.
  static constexpr std::uint32_t kFoundNothing = kNone - 1, kTookSomething = kNone;

  bool decline(std::string why);
  bool read_labels();
  bool read_initial();
  bool read_adds();
  bool read_takes();
  void add(std::uint32_t number, std::uint32_t l, std::uint32_t a, OperationId op);
  void take(OperationId id, std::uint32_t element, Value v);
  bool is_added_again(std::uint32_t number) const;
  bool tell_apart();
  bool tell_apart(std::uint32_t number, const std::vector<std::uint32_t>& elements,
                  const std::vector<OperationId>& takes);
  bool not_apart(std::uint32_t number);
  void note(std::vector<OperationId> core, std::string why);
  void tidy();

  const Problem& problem_;
  Collection out_;
  ValueNumbers numbers_;
  std::vector<std::uint32_t> codes_;                                  // by label
  std::vector<std::uint32_t> element_of_;                             // by number: the first
  std::vector<std::pair<std::uint32_t, std::uint32_t>> added_again_;  // number, element
  struct Taken {
    std::uint32_t number, ret;
    OperationId op;
    auto operator<=>(const Taken&) const = default;
  };
  std::vector<Taken> taken_again_;
  std::vector<std::uint32_t> new_number_;  // of elements, where some were left out
};

}  // namespace plumb
