// SPDX-License-Identifier: MIT
// A coarse model, say with one lock, can be the specification of a fine one: what its operations do
// one after the other is the sequential object. So a design is refined in steps, each of which is
// proved against the one before.
//
// The two files share no names. Values go from one to the other as they are, so the types that
// clients see have to have the same values: enumerations by their names, records by their fields.
#include "model/code/spec_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "model/syntax/parser.hpp"

namespace plumb::model {
namespace {

namespace fs = std::filesystem;

fs::path path_from(const std::string& file, const std::string& name) {
  return (fs::path(file).parent_path() / name).lexically_normal();
}

/// By which name a file is known, whatever it is called.
fs::path identity_of(const fs::path& path) {
  std::error_code failed;
  fs::path real = fs::weakly_canonical(path, failed);
  return failed ? path : real;
}

// What else is wrong with models further on is none of the business of this one.
std::optional<std::string> next_name(const std::string& text) {
  try {
    const ModelText parsed = parse(text);
    if (parsed.spec_file) return parsed.spec_file->name;
  } catch (const Mistake&) { return {}; }
  return {};
}

// Models that are each other's specifications say nothing.
void reject_circle(const FileText& named, const Origin& origin, fs::path file, std::string text) {
  std::vector<fs::path> met;
  if (!origin.file.empty()) met.push_back(identity_of(origin.file));
  std::string way = origin.file.empty() ? "this model" : origin.file;
  for (;;) {
    way += ", " + file.string();
    const fs::path identity = identity_of(file);
    if (std::find(met.begin(), met.end(), identity) != met.end())
      reject(named.place,
             met.size() == 1
                 ? "this model is its own specification"
                 : fmt::format("specifications that refer to each other in a cycle: {}", way),
             "one of them has to be written out: spec { state ... op ... }");
    met.push_back(identity);
    const std::optional<std::string> name = next_name(text);
    if (!name) return;
    file = path_from(file.string(), *name);
    Result<std::string> next = origin.read(file.string());
    if (!next.ok()) return;
    text = std::move(*next);
  }
}

bool same_values(const Program& one, const Type& a, const Program& other, const Type& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == Type::enumeration) return one.enumerations[a.id] == other.enumerations[b.id];
  if (a.kind != Type::record) return true;
  const std::vector<Variable>& fields = one.records[a.id].fields;
  const std::vector<Variable>& others = other.records[b.id].fields;
  return std::equal(fields.begin(), fields.end(), others.begin(), others.end(),
                    [&](const Variable& x, const Variable& y) {
                      return x.name == y.name && x.type.low == y.type.low &&
                             x.type.high == y.type.high && same_values(one, x.type, other, y.type);
                    });
}

std::string range_words(const Type& type) { return fmt::format("{}..{}", type.low, type.high); }

void require_same(const Program& object, const Op& op, const SpecModel& spec, const Op& other,
                  Place place) {
  const std::string there = fmt::format("'{}' in {}:{}", op.name, spec.file, other.place.line);
  if (op.parameters.size() != other.parameters.size())
    reject(place,
           fmt::format("{} has {} parameters, but {} in the object", there, other.parameters.size(),
                       op.parameters.size()),
           "both need the same parameters");
  for (std::size_t i = 0; i < op.parameters.size(); ++i) {
    const Type &a = op.parameters[i].type, &b = other.parameters[i].type;
    if (!same_values(object, a, spec.program, b))
      reject(place, fmt::format("{} takes another type for '{}'", there, op.parameters[i].name),
             "both must take the same: numbers, bools, or the same enum or record");
    if (a.low < b.low || a.high > b.high)
      reject(place,
             fmt::format("{} takes {} for '{}', but the object {}", there, range_words(b),
                         op.parameters[i].name, range_words(a)),
             "it has to take what the object takes; --set changes a constant in each file that "
             "has it");
  }
  if (op.returns_value != other.returns_value)
    reject(place,
           fmt::format("{} returns {}, but {} in the object", there,
                       other.returns_value ? "a value" : "nothing",
                       other.returns_value ? "nothing" : "a value"),
           "both must return the same");
  if (op.returns_value && !same_values(object, op.result, spec.program, other.result))
    reject(place, fmt::format("{} returns another type than in the object", there),
           "both must return the same: numbers, bools, or the same enum or record");
}

}  // namespace

NamedModel read_named_model(const FileText& named, const Origin& origin) {
  const fs::path path = path_from(origin.file, named.name);
  Result<std::string> text = origin.read ? origin.read(path.string())
                                         : Error{ErrorKind::missing_file, "there are no files"};
  if (!text.ok())
    reject(named.place, fmt::format("{}: {}", path.string(), text.error().message),
           "spec \"FILE.plumb\" names a model, relative to the folder of this one");
  reject_circle(named, origin, path, *text);
  return {path.string(), std::move(*text)};
}

std::vector<std::uint32_t> same_operations(const Program& object, const SpecModel& spec,
                                           Place place) {
  std::vector<std::uint32_t> ops;
  for (const Op& op : object.ops) {
    const std::vector<Op>& all = spec.program.ops;
    const auto same = std::find_if(all.begin(), all.end(),
                                   [&](const Op& other) { return other.name == op.name; });
    if (same == all.end())
      reject(place,
             fmt::format("{} of {} has no operation '{}'", spec.program.object, spec.file, op.name),
             "a specification has all operations of the object, and may have more");
    require_same(object, op, spec, *same, place);
    ops.push_back(static_cast<std::uint32_t>(same - all.begin()));
  }
  return ops;
}

}  // namespace plumb::model
