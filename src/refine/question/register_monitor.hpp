// SPDX-License-Identifier: MIT
// Regular and safe registers with one writer: weaker than linearizable, and all that some
// algorithms promise.
#pragma once

#include <string>
#include <vector>

#include "refine/question/monitor.hpp"

namespace plumb::refine {

/// A model as a register. Regularity and safety are about nothing else.
struct RegisterShape {
  std::string why_not;                // empty: it is one
  std::uint32_t read = 0, write = 0;  // operations
  std::vector<model::Cell> values;    // the initial one first; then those that are written
};
RegisterShape register_shape(const model::Program& program);

/// Requires: the program is a register.
class RegisterMonitor final : public Monitor {
 public:
  RegisterMonitor(Sets& sets, bool safe);
  /// These properties are about results; that something does not come to an end is none of them.
  bool may_be_stuck(SetId, std::uint32_t&) override { return true; }

 private:
  SetId after_call(SetId set, std::uint32_t process, model::CallNumber call) override;
  SetId after_return(SetId set, std::uint32_t process, model::Cell result) override;
  bool find_inclusion(SetId larger, SetId smaller) override;
  std::uint32_t value_bit(model::Cell value) const;
  SetId only(const std::vector<std::uint32_t>& row);
  std::vector<std::uint32_t> row_of(SetId set) const;

  const RegisterShape shape_;
  const bool safe_;
};

}  // namespace plumb::refine
