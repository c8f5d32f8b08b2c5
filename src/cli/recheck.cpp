// SPDX-License-Identifier: MIT
#include "cli/recheck.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "base/json_reader.hpp"
#include "base/read_text.hpp"
#include "base/text.hpp"
#include "check/evidence/recheck.hpp"
#include "cli/commands.hpp"
#include "report/json.hpp"

namespace plumb::cli {
namespace {

// Of one report.
class Recheck {
 public:
  Recheck(const Json& report, const RecheckOptions& options)
      : report_(report), options_(options), file_(report.text("file")),
        verdict_(report.text("verdict")) {}

  Status run() {
    if (report_.text("command") != "check" || !report_.text("property").starts_with("linearizable"))
      return not_possible("it is no report of linearizability by plumb check");
    if (verdict_ == "undecided") return not_possible("it is undecided, so it has no evidence");
    if (file_.empty() || file_ == "-") return not_possible("it names no file");
    Result<History> read = read_history(file_, options_.read);
    if (!read.ok()) return std::move(read.error());
    history_ = &*read;
    for (OperationId op = 0; op < history_->size(); ++op) by_line_[history_->line[op]] = op;
    if (Status found = find_specifications(); !found.ok()) return found;
    return verdict_ == "holds" ? order() : core();
  }

  const Rechecked& result() const { return result_; }
  const std::string& file() const { return file_; }
  const std::string& what() const { return what_; }

 private:
  static Error not_possible(std::string why) {
    return {ErrorKind::bad_input, "the report cannot be verified again: " + std::move(why),
            "write one by plumb check FILE --json; of a history that holds, with --witness"};
  }

  Status find_specifications() {
    for (const Object& object : history_->objects) {
      const Specification* s = options_.given;
      if (!s && !object.specification.empty()) s = find_specification(object.specification);
      if (!s) s = find_specification(report_.text("specification"));
      if (!s) return not_possible("its specification is not known (--spec names it)");
      specifications_.push_back(s);
    }
    for (OperationId op = 0; op < history_->size(); ++op)
      if (!specifications_[history_->object[op]]->find(history_->call_of(op).method))
        return not_possible(history_->print(op) + " is no operation of the specification");
    return {};
  }

  std::optional<OperationId> at_line(const Json& json, std::string_view name) const {
    const Json* const line = json.find(name);
    const auto number = line ? line->count() : std::nullopt;
    const auto found = number ? by_line_.find(*number) : by_line_.end();
    if (found == by_line_.end()) return std::nullopt;
    return found->second;
  }

  // Whether a report or a witness shows the operation as it was recorded.
  bool shows_truly(const Json& shown, OperationId op) const {
    const std::optional<Json> recorded = parse_json(report::json_operation(*history_, op));
    const auto member = [](const Json& json, const char* name) {
      const Json* const found = json.find(name);
      return found ? found->dump() : Json().dump();
    };
    const Json* const pending = shown.find("pending");
    const bool is_pending = pending && pending->flag() && *pending->flag();
    return is_pending != history_->returned(op) &&
           std::ranges::all_of(
               std::array{"process", "object", "op", "args", "result"},
               [&](const char* name) { return member(shown, name) == member(*recorded, name); });
  }

  Rechecked shown_otherwise(OperationId op) const {
    return {true, fmt::format("line {} of the history has {}, and not what is shown",
                              history_->line[op], history_->print(op))};
  }

  Status core() {
    const Json* const evidence = report_.find("evidence");
    if (!evidence || evidence->items("operations").empty())
      return not_possible("it has no counterexample");
    if (const Json* const left = evidence->find("left_state"); left && left->is_object())
      return not_possible("its counterexample begins in the middle of the history");
    std::vector<Needed> needed(history_->size(), Needed::nothing);
    ObjectId object = 0;
    for (const Json& shown : evidence->items("operations")) {
      const auto op = at_line(shown, "call_line");
      if (!op || history_->call_of(*op).method != shown.text("op"))
        return not_possible(file_ + " is not the history that it is about");
      if (!shows_truly(shown, *op)) {
        result_ = shown_otherwise(*op);
        return {};
      }
      needed[*op] = shown.text("needed") == "call" ? Needed::call : Needed::outcome;
      object = history_->object[*op];
    }
    const std::size_t shown = evidence->items("operations").size();
    what_ = fmt::format("{} of {} {} the violation", text::count_words(shown, "operation"),
                        text::count_words(history_->size()), shown == 1 ? "proves" : "prove");
    result_ = recheck_core(*history_, object, *specifications_[object],
                           options_.initial ? options_.initial : history_->objects[object].initial,
                           needed);
    return {};
  }

  Status order() {
    const Json* const evidence = report_.find("evidence");
    const std::string file(evidence ? evidence->text("file") : "");
    if (file.empty()) return not_possible("it has no witness");
    if (history_->stuck) return not_possible("the history is stuck");
    std::ifstream in(file);
    if (!in)
      return Error{ErrorKind::missing_file, "cannot be opened", "write the report again", file};
    std::vector<OperationId> order;
    for (std::string line; std::getline(in, line);) {
      const std::optional<Json> json = parse_json(line);
      const auto op = json ? at_line(*json, "line") : std::nullopt;
      if (!op) return not_possible(file + " is no witness of " + file_);
      if (!shows_truly(*json, *op)) {
        result_ = shown_otherwise(*op);
        return {};
      }
      order.push_back(*op);
    }
    what_ = fmt::format("an order of {} explains every result",
                        text::count_words(order.size(), "operation"));
    result_ = recheck_order(*history_, specifications_, options_.initial, order);
    return {};
  }

  const Json& report_;
  const RecheckOptions& options_;
  const std::string file_, verdict_;
  const History* history_ = nullptr;
  std::vector<const Specification*> specifications_;  // by object
  std::map<std::uint64_t, OperationId> by_line_;
  std::string what_;
  Rechecked result_;
};

}  // namespace

namespace {

ExitStatus recheck_all(const std::string& file, const RecheckOptions& options) {
  const Result<std::string> text = read_text(file, kLargestReport);
  if (!text.ok()) return finish(text.error());
  std::istringstream in(*text);
  ExitStatus worst = ExitStatus::holds;
  bool any = false;
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    const std::optional<Json> json = parse_json(line);
    if (json && json->find("summary")) continue;
    if (!json || !json->find("evidence"))
      return finish(Error{ErrorKind::bad_input, "is no report of plumb check --json",
                          "give the name of one", file});
    any = true;
    Recheck one(*json, options);
    if (Status done = one.run(); !done.ok()) {
      if (done.error().file.empty()) done.error().file = file;
      worst = finish(done);
      continue;
    }
    const Rechecked& result = one.result();
    const char* const word = !result.decided        ? "UNDECIDED"
                             : result.wrong.empty() ? "VERIFIED"
                                                    : "WRONG";
    const std::string line_of_it = fmt::format("{}  {}: {}\n", word, text::file_words(one.file()),
                                               result.wrong.empty() ? one.what() : result.wrong);
    std::fputs(text::for_terminal(line_of_it).c_str(), stdout);
    if (!result.decided && worst == ExitStatus::holds) worst = ExitStatus::undecided;
    if (result.decided && !result.wrong.empty()) worst = exit_status(ErrorKind::bad_input);
  }
  if (!any)
    return finish(Error{ErrorKind::bad_input, "has no report", "give the name of one", file});
  return worst;
}

}  // namespace

ExitStatus recheck(const std::string& file, const RecheckOptions& options) {
  ExitStatus status = ExitStatus::internal;
  const Status done = guarded([&] { status = recheck_all(file, options); });
  return done.ok() ? status : finish(done);
}

}  // namespace plumb::cli
