// SPDX-License-Identifier: MIT
// The most general client: classes of processes, and every call that each of their steps allows.
#include "model/code/clients.hpp"

#include <fmt/format.h>

#include "model/syntax/diagnostic.hpp"

namespace plumb::model {
namespace {

constexpr std::uint32_t kMostProcesses = 16;
constexpr std::size_t kMostCalls = 4096;

class Clients {
 public:
  Clients(const ModelText& text, const Names& names, Program& program)
      : text_(text), names_(names), p_(program) {}

  void run() {
    for (const ClientsText& text : text_.clients) {
      ClientClass c;
      c.first = static_cast<std::uint32_t>(p_.class_of.size());
      c.count = static_cast<std::uint32_t>(names_.constant(*text.count));
      c.symmetric = true;
      for (const auto& choice : text.steps) {
        c.steps.emplace_back();
        for (const ClientCallText& call : choice) add_calls(call, c.steps.back());
        for (const CallNumber number : c.steps.back())
          if (p_.ops[p_.calls[number].op].uses_self) c.symmetric = false;
      }
      if (text.at_most) {
        const std::int64_t most = names_.constant(*text.at_most);
        if (most < 1 || most > 1000)
          reject(text.at_most->place, fmt::format("at most {} operations", most), "1 to 1000");
        c.at_most = static_cast<Cell>(most);
      }
      const auto number = static_cast<std::uint32_t>(p_.classes.size());
      p_.class_of.insert(p_.class_of.end(), c.count, number);
      p_.classes.push_back(std::move(c));
    }
  }

 private:
  void add_calls(const ClientCallText& text, std::vector<CallNumber>& out) {
    bool found = false;
    for (std::uint32_t op = 0; op < p_.ops.size(); ++op) {
      if (!text.op.empty() && p_.ops[op].name != text.op) continue;
      found = true;
      const std::vector<Variable>& parameters = p_.ops[op].parameters;
      if (!text.op.empty() && text.args.size() != parameters.size())
        reject(text.place, fmt::format("'{}' takes {} arguments", text.op, parameters.size()),
               "`any` stands for any value of a parameter");
      std::vector<std::pair<Cell, Cell>> ranges;
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        const Type& type = parameters[i].type;
        if (text.op.empty() || !text.args[i]) {
          ranges.emplace_back(type.low, type.high);
        } else {
          const Cell value = names_.fixed(*text.args[i], type);
          ranges.emplace_back(value, value);
        }
      }
      std::vector<Cell> args;
      for (const auto& [low, high] : ranges) args.push_back(low);
      for (bool more = true; more;) {
        out.push_back(call_number(text.place, {op, args}));
        more = false;
        for (std::size_t i = args.size(); i-- > 0 && !more;) {
          if (args[i] < ranges[i].second) {
            ++args[i];
            more = true;
          } else {
            args[i] = ranges[i].first;
          }
        }
      }
    }
    if (!found)
      reject(text.place, fmt::format("the object has no operation '{}'", text.op),
             "name one of its operations, or any");
  }

  CallNumber call_number(Place place, const ConcreteCall& call) {
    for (CallNumber i = 0; i < p_.calls.size(); ++i)
      if (p_.calls[i].op == call.op && p_.calls[i].args == call.args) return i;
    if (p_.calls.size() == kMostCalls)
      reject(place, "too many different calls", fmt::format("at most {}", kMostCalls));
    p_.calls.push_back(call);
    return static_cast<CallNumber>(p_.calls.size() - 1);
  }

  const ModelText& text_;
  const Names& names_;
  Program& p_;
};

}  // namespace

Cell count_processes(const ModelText& text, const Names& names) {
  std::int64_t count = 0;
  for (const ClientsText& c : text.clients) {
    const std::int64_t here = names.constant(*c.count);
    if (here < 0) reject(c.count->place, "a negative number of processes", "0 or more");
    count += here;
    if (count > kMostProcesses)
      reject(c.count->place, "too many processes", fmt::format("at most {}", kMostProcesses));
  }
  if (count == 0) reject(text.clients_place, "there are no processes", "clients { 2 x any }");
  return static_cast<Cell>(count);
}

void add_clients(const ModelText& text, const Names& names, Program& program) {
  Clients(text, names, program).run();
}

}  // namespace plumb::model
