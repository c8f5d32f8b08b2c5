// SPDX-License-Identifier: MIT
#include "model/code/process_names.hpp"

namespace plumb::model {

ProcessNames::ProcessNames(const Program& program)
    : program_(program), sites_(program, Type::process), new_names_(program.processes() + 1, 0) {
  for (const Variable& v : program.shared)
    if (v.by_process) arrays_.push_back({v.first, v.size, {}});
  for (const Site& site : sites_.shared) {
    bool inside = false;
    for (Array& a : arrays_) {
      const Cell at = static_cast<Cell>(site.cell) - a.first;
      inside = inside || (at >= 0 && at < a.size);
      if (at == 0) a.sites.push_back(site);
    }
    if (!inside) single_.push_back(site);
  }
}

void ProcessNames::describe(const Cell* state, std::uint32_t process,
                            std::vector<Cell>& description) const {
  const auto self = static_cast<Cell>(process) + 1;
  const auto relation = [&](Cell name) { return name == 0 ? 0 : name == self ? 1 : 2; };
  for (const Site& site : sites_.of_process(program_, state, process))
    site.put(description.data(), relation(site.get(state + program_.block_of(process))));
  for (const Site& site : single_) description.push_back(site.get(state) == self ? 1 : 0);
  for (const Array& a : arrays_) {
    const auto own = static_cast<std::uint32_t>(description.size());
    description.push_back(state[a.first + self - 1]);
    for (const Site& first : a.sites) {
      Cell naming = 0;  // how many of the others' elements name this process
      for (Cell i = 0; i < a.size; ++i)
        naming += i != self - 1 && first.at(static_cast<std::uint32_t>(i)).get(state) == self;
      Site copy = first;
      copy.cell = own;
      copy.put(description.data(), relation(copy.get(description.data())));
      description.push_back(naming);
    }
  }
}

void ProcessNames::rename(Cell* state, const std::vector<std::uint8_t>& order) {
  for (std::size_t i = 0; i < order.size(); ++i)
    new_names_[order[i] + std::size_t{1}] = static_cast<Cell>(i) + 1;
  const auto rename_at = [&](const Site& site) {
    site.put(state, new_names_[static_cast<std::size_t>(site.get(state))]);
  };
  for (const Site& site : sites_.shared) rename_at(site);
  for (std::size_t pool = 0; pool < program_.pools.size(); ++pool)
    for (const Site& first : sites_.fields[pool])
      for (Cell node = 0; node < program_.pools[pool].size; ++node)
        rename_at(first.at(static_cast<std::uint32_t>(node)));
  for (std::uint32_t p = 0; p < program_.processes(); ++p)
    for (const Site& site : sites_.of_process(program_, state, p))
      rename_at(site.at(program_.block_of(p)));
  for (const Array& a : arrays_) {
    scratch_.assign(state + a.first, state + a.first + a.size);
    for (std::size_t i = 0; i < order.size(); ++i)
      state[static_cast<std::size_t>(a.first) + i] = scratch_[order[i]];
  }
}

}  // namespace plumb::model
