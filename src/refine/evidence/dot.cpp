// SPDX-License-Identifier: MIT
#include "refine/evidence/dot.hpp"

#include <fmt/format.h>

#include <array>

#include "model/code/sequential.hpp"
#include "refine/evidence/walk.hpp"

namespace plumb::refine {
namespace {

constexpr std::array<std::string_view, 8> kColours = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd",
                                                      "#ff7f0e", "#8c564b", "#e377c2", "#17becf"};

std::string in_quotes(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string label(const model::Program& program, const model::Machine& machine,
                  const std::vector<model::Cell>& state) {
  std::string out;
  for (const model::Variable& v : program.shared) {
    if (v.name.empty()) continue;
    const auto cell = [&](model::Cell i) {
      return words_of(program, v.type,
                      state[static_cast<std::size_t>(v.first) + static_cast<std::size_t>(i)]);
    };
    if (!v.field.empty()) {
      for (model::Cell i = 0; i < v.size; ++i)
        if (!unused(program, v, i, state.data()))
          out += fmt::format("{}{}={}", out.empty() ? "" : " ", cell_words(v, i), cell(i));
      continue;
    }
    out += fmt::format("{}{}=", out.empty() ? "" : " ", v.name);
    for (model::Cell i = 0; i < v.size; ++i) out += (i ? "," : "") + cell(i);
  }
  for (std::uint32_t p = 0; p < program.processes(); ++p) {
    const model::Point& point = machine.point(state.data(), p);
    if (point.kind == model::Point::idle) continue;
    out += fmt::format("\n{}: {}", p, program.ops[point.op].name);
    out += point.kind == model::Point::inside ? fmt::format(" line {}", point.line) : " returns";
  }
  return out;
}

}  // namespace

std::string dot(const model::Program& program, std::string_view text, const Graph& graph) {
  model::Machine machine(program);
  const model::Quotes quotes(text);
  std::vector<model::Cell> state(program.cells());
  std::string out = fmt::format("digraph \"{}\" {{\n  node [shape=box, fontname=monospace];\n",
                                in_quotes(program.object));
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    machine.unpack(graph.packed[s], state.data());
    std::string words = in_quotes(label(program, machine, state));
    for (std::size_t at = 0; (at = words.find('\n', at)) != std::string::npos;)
      words.replace(at, 1, "\\n");
    out += fmt::format("  {} [label=\"{}\"{}];\n", s, words, s == 0 ? ", penwidth=3" : "");
    for (std::uint32_t p = 0; p < program.processes(); ++p) {
      auto edge = graph.from(s).begin();
      while (edge != graph.from(s).end() && edge->process != p) ++edge;
      machine.successors(state.data(), p, [&](const model::Successor& step) {
        const std::string what = step_words(program, quotes, machine.point(state.data(), p), step);
        out += fmt::format("  {} -> {} [label=\"{}: {}\", color=\"{}\"];\n", s, edge->to, p,
                           in_quotes(what), kColours[p % kColours.size()]);
        ++edge;
      });
    }
  }
  return out + "}\n";
}

}  // namespace plumb::refine
