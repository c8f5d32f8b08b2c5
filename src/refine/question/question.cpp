// SPDX-License-Identifier: MIT
#include "refine/question/question.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "refine/question/history_monitor.hpp"
#include "refine/question/points.hpp"
#include "refine/question/register_monitor.hpp"

namespace plumb {
namespace {

constexpr std::string_view kReturns = "returns:";
constexpr std::size_t kProperties = 7;  // of those below: the names of --property

// Not a global: other globals may ask before it is there.
const auto& questions() {
  static const std::pair<const char*, Question> all[] = {
      {"linearizable", Criterion::linearizable},
      {"regular", Criterion::regular},
      {"safe", Criterion::safe},
      {"deadlock-free", ProgressCondition::deadlock_free},
      {"lock-free", ProgressCondition::lock_free},
      {"wait-free", ProgressCondition::wait_free},
      {"obstruction-free", ProgressCondition::obstruction_free},
      {"points", Criterion::points},
      {"soar", Criterion::soar},
      {"soar-literal", Criterion::soar_literal},
      {"clmt", Criterion::clmt},
      {"dummy", Criterion::dummy},
      {"explored", ExploreOnly{}}};
  return all;
}

}  // namespace

std::optional<Question> question_named(std::string_view name) {
  for (const auto& [known, question] : questions())
    if (known == name) return question;
  if (name.starts_with(kReturns)) return Returns{std::string(name.substr(kReturns.size()))};
  return {};
}

std::string question_name(const Question& question) {
  if (const auto* returns = std::get_if<Returns>(&question))
    return fmt::format("{}{}", kReturns, returns->operation);
  for (const auto& [name, known] : questions())
    if (known == question) return name;
  return {};
}

std::string property_name(const Question& question) {
  return question_name(refine::asks_linearizability(question) ? Question(Criterion::linearizable)
                                                              : question);
}

}  // namespace plumb

namespace plumb::refine {
namespace {

/// "assert soar(history) in line 15"
std::string assertion_words(const model::Program& program) {
  return fmt::format("{} in line {}", program.asserted->words(), program.asserted->line);
}

Result<Question> parse_property(const std::string& name, const model::Program& program) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kProperties; ++i) names.emplace_back(questions()[i].first);
  for (const model::Op& op : program.ops) names.push_back(question_name(Returns{op.name}));
  for (const std::string& known : names)
    if (known == name) return *question_named(name);
  return Error{ErrorKind::usage, fmt::format("unknown property '{}'", name),
               "one of " + text::list_words(names, "or")};
}

Result<Question> parse_engine(const std::string& name, const model::Program& program) {
  if (program.asserted && name != program.asserted->predicate)
    return Error{ErrorKind::usage,
                 fmt::format("--engine {}, but the model says {}", name, assertion_words(program)),
                 "leave --engine out, or say --engine product, which needs no histories"};
  if (const auto question = question_named(name); question && records(*question)) return *question;
  return Error{ErrorKind::usage, fmt::format("unknown engine '{}'", name),
               "one of product, soar, soar-literal, clmt or dummy"};
}

Result<Question> parse_points(const model::Program& program) {
  if (has_marks(program)) return Question(Criterion::points);
  return Error{ErrorKind::usage, "--points, but the model marks no linearization point",
               "say `linearize` behind the statements at which operations take effect"};
}

}  // namespace

Result<Question> parse_question(const QuestionOptions& options, const model::Program& program) {
  const bool engine = !options.engine.empty() && options.engine != "product";
  const bool property = options.property != "linearizable";
  const int others = options.simulate + property + options.points + engine;
  if (others + options.explore_only > 1)
    return Error{ErrorKind::usage,
                 "more than one of --points, --engine, --simulate, --explore-only and --property",
                 "ask one question per command"};
  if (options.checkpoint && others > 0)
    return Error{
        ErrorKind::usage,
        "--checkpoint cannot be combined with --simulate, --points, --engine or --property",
        "it is for linearizability by the product, and for --explore-only"};
  if (property) return parse_property(options.property, program);
  if (options.points) return parse_points(program);
  if (engine) return parse_engine(options.engine, program);
  if (options.explore_only) return Question(ExploreOnly{});
  if (options.simulate || !options.engine.empty()) return Question(Criterion::linearizable);
  if (options.checkpoint && program.asserted)
    return Error{ErrorKind::usage,
                 fmt::format("--checkpoint, but the model says {}", assertion_words(program)),
                 "say --engine product, which can resume from a checkpoint"};
  return question_of(program);
}

Question question_of(const model::Program& program) {
  return program.asserted ? *question_named(program.asserted->predicate)
                          : Question(Criterion::linearizable);
}

bool is_asserted(const model::Program& program, const Question& question) {
  return program.asserted && question == question_of(program);
}

bool asks_linearizability(const Question& question) {
  const auto* criterion = std::get_if<Criterion>(&question);
  return criterion && (!of_registers(*criterion) || records(*criterion));
}

bool of_registers(const Question& question) {
  const auto* criterion = std::get_if<Criterion>(&question);
  return criterion && of_registers(*criterion);
}

bool records(const Question& question) {
  const auto* criterion = std::get_if<Criterion>(&question);
  return criterion && records(*criterion);
}

bool about_progress(const Question& question) {
  return std::holds_alternative<ProgressCondition>(question) ||
         std::holds_alternative<Returns>(question);
}

bool by_product(const Question& question) {
  return std::holds_alternative<Criterion>(question) && !records(question);
}

std::unique_ptr<Monitor> make_monitor(Criterion criterion, Sets& sets) {
  if (records(criterion)) return std::make_unique<HistoryMonitor>(sets, criterion);
  if (of_registers(criterion))
    return std::make_unique<RegisterMonitor>(sets, criterion == Criterion::safe);
  if (criterion == Criterion::points) return std::make_unique<PointsMonitor>(sets);
  return std::make_unique<Monitor>(sets);
}

}  // namespace plumb::refine
