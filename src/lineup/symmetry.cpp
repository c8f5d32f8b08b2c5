// SPDX-License-Identifier: MIT
#include "lineup/symmetry.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

namespace plumb::lineup {
namespace {

// Of more values only the first are renamed: all orders of them are tried on every test.
constexpr std::size_t kMostRenamed = 5;

Column renamed(const Column& column, const Column& renaming) {
  Column result;
  for (const int i : column) result.push_back(renaming[static_cast<std::size_t>(i)]);
  return result;
}

Matrix renamed(const Matrix& test, const Column& renaming) {
  Matrix result{renamed(test.initial, renaming), {}, renamed(test.final, renaming)};
  for (const Column& column : test.columns) result.columns.push_back(renamed(column, renaming));
  return result;
}

// What every invocation becomes, or nothing if one becomes what there is not.
Column renaming_of(const Object& object, const std::map<std::string, std::string>& values) {
  std::map<std::pair<std::string, std::vector<std::string>>, int> numbers;
  for (std::size_t i = 0; i < object.invocations.size(); ++i) {
    const Invocation& it = object.invocations[i];
    numbers.emplace(std::pair(it.method, argument_texts(it)), static_cast<int>(i));
  }
  Column renaming;
  for (const Invocation& it : object.invocations) {
    std::vector<std::string> arguments = argument_texts(it);
    for (std::string& argument : arguments) {
      const auto found = values.find(argument);
      if (found != values.end()) argument = found->second;
    }
    const auto found = numbers.find({it.method, std::move(arguments)});
    if (found == numbers.end()) return {};
    renaming.push_back(found->second);
  }
  return renaming;
}

std::vector<Column> renamings_of(const Object& object, const Alphabet& alphabet) {
  std::vector<std::string> values;
  for (const Invocation& it : object.invocations) {
    for (const std::string& argument : argument_texts(it)) {
      if (values.size() < kMostRenamed && std::ranges::find(values, argument) == values.end())
        values.push_back(argument);
    }
  }
  const auto is_unit = [&](const Column& unit) {
    return std::ranges::find(alphabet.units, unit) != alphabet.units.end();
  };
  std::vector<Column> result;
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  while (std::ranges::next_permutation(order).found) {
    std::map<std::string, std::string> becomes;
    for (std::size_t i = 0; i < order.size(); ++i) becomes[values[i]] = values[order[i]];
    const Column renaming = renaming_of(object, becomes);
    // Tests become tests: of the same units, with the same beginning and end.
    if (!renaming.empty() && renamed(alphabet.initial, renaming) == alphabet.initial &&
        renamed(alphabet.final, renaming) == alphabet.final &&
        std::ranges::all_of(alphabet.units,
                            [&](const Column& unit) { return is_unit(renamed(unit, renaming)); }))
      result.push_back(renaming);
  }
  return result;
}

}  // namespace

Symmetry symmetry_of(const Object& object, const Alphabet& alphabet) {
  Symmetry symmetry;
  symmetry.columns =
      std::ranges::none_of(object.invocations, [](const Invocation& i) { return i.only_on >= 0; });
  if (object.data_independent) symmetry.renamings = renamings_of(object, alphabet);
  return symmetry;
}

bool stands_for_all(const Matrix& test, const Symmetry& symmetry) {
  if (symmetry.columns && canonical(test) != test) return false;
  return std::ranges::none_of(symmetry.renamings, [&](const Column& renaming) {
    const Matrix image = renamed(test, renaming);
    return (symmetry.columns ? canonical(image) : image) < test;
  });
}

}  // namespace plumb::lineup
