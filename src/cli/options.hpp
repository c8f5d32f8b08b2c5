// SPDX-License-Identifier: MIT
// Every option, once: the command line, --help and the manual page come from these tables.
#pragma once

#include <CLI/CLI.hpp>

#include <cassert>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::cli {

struct OptionRow {
  std::string_view group;
  std::string_view name;      // "--spec", "-o,--output"
  std::string_view argument;  // what follows it; empty: a flag
  std::string_view help;      // what it does, and its default if it has one
};

inline constexpr OptionRow kCheckOptions[] = {
    {"What", "--spec", "NAME|FILE.cpp|MODEL.plumb",
     "the specification: a name, a C++ file that describes one, or a model (docs/language.md), "
     "whose "
     "spec it is; default: what the file says"},
    {"What", "--set", "NAME=VALUE", "another value for a constant of that model; may be repeated"},
    {"What", "--initial", "JSON", "the object's initial value; default: what the file says"},
    {"What", "--property", "PROPERTY",
     "linearizable; or, of registers, regular, safe or sequential; default: linearizable"},
    {"What", "--quasi", "OP[,OP]=K",
     "quasi linearizable (docs/quasi.md): these operations may be out of order by K; others have "
     "K = 0; may be repeated"},
    {"What", "--relaxation", "RELAXATION",
     "what that means: strict, distance, lateness, slot, all or def4; default: strict"},
    {"What", "--min-k", "",
     "also say the least K that explains the history; then --quasi OP needs none"},
    {"What", "--format", "FORMAT", "of the files; default: found out from their contents"},
    {"What", "--failed-cas", "mismatch|absent",
     "what a failed cas of Jepsen means: its comparison failed, or it did not happen; default: "
     "mismatch"},
    {"What", "--clock-skew", "D",
     "clocks of different processes may differ by this much, in the unit of the file"},
    {"How", "--engine", "ENGINE",
     "auto, which chooses, or one by name, which never falls back; default: auto"},
    {"How", "--search", "dfs|bfs", "how jit goes about it; default: both, by budget"},
    {"How", "--lru", "N", "wgl remembers only the last N configurations; default: all"},
    {"How", "--no-dedup", "", "roundup-literal looks again at sequences that it has seen"},
    {"How", "--no-partition", "", "do not split by key"},
    {"How", "--keep-going", "", "decide all partitions, even after a violation"},
    {"How", "--no-minimise", "", "do not look for a small counterexample"},
    {"How", "--follow", "",
     "decide the file while it grows, until it is interrupted or found to be a violation"},
    {"How", "--jobs", "N", "threads; default: one for each core"},
    {"How", "--seed", "N", "accepted by all commands; nothing in check is random"},
    {"Limits", "--timeout", "SECONDS", "for each file; then the verdict is undecided"},
    {"Limits", "--memory", "MIB", "of the whole process; then the verdict is undecided"},
    {"Output", "--witness", "FILE",
     "write the order that explains every result, an operation a line; - is standard output"},
    {"Output", "--stats", "", "what the searches did, by partition"},
    {"Output", "--explain-engine", "", "which engine decided each partition, and why"},
    {"Output", "--json", "", "one JSON object a file, and a summary if there are several"},
    {"Output", "--html", "FILE",
     "write a page to look at there: timeline, reasons, steps (docs/viewer.md)"},
    {"Output", "-o,--output", "FILE", "write the report there, not to standard output"},
    {"Output", "--quiet", "", "only the verdict, a line a file"},
    {"Output", "--ascii", "", "no box-drawing characters; default unless the locale has UTF-8"},
    {"Output", "--junit", "FILE", "also write the verdicts there as JUnit does, for CI servers"},
    {"Output", "--markdown", "FILE",
     "also add a summary to the end of that file, in GitHub's Markdown"},
    {"Output", "--color", "auto|always|never",
     "auto: on a terminal, and not where NO_COLOR is set; default: auto"},
    {"Output", "--progress", "auto|plain|none",
     "on standard error after two seconds: on a terminal only, a line now and then, or not; "
     "default: auto"},
};

inline constexpr OptionRow kVerifyOptions[] = {
    {"What", "--set", "NAME=VALUE|NAME=LOW..HIGH",
     "another value for a constant of the model, or several, one after the other: then the report "
     "is a table; may be repeated"},
    {"What", "--property", "PROPERTY",
     "linearizable; of registers with one writer also regular or safe; or deadlock-free, "
     "lock-free, "
     "wait-free, obstruction-free, or returns:OP (every call of that operation returns); default: "
     "linearizable"},
    {"What", "--points,--linearization-points", "",
     "linearizable, by the linearization points that the model marks (linearize); if they do not "
     "explain every run, it is decided without them"},
    {"What", "--explore-only", "",
     "count the states of the implementation, a plain step at a time, and judge nothing but "
     "faults"},
    {"What", "--cut-is-bound", "",
     "where new finds no free node, the path ends and is not missed: the verdict is about the "
     "rest"},
    {"How", "--engine", "product|soar|soar-literal|clmt|dummy",
     "product, or, for comparison, an engine of plumb check that is asked about the recorded "
     "history at every return: of registers with one writer and few calls; default: what the model "
     "asserts, or else product"},
    {"How", "--no-eager-returns", "", "an operation need not return as soon as it can"},
    {"How", "--no-late-calls", "", "a call is a step of its own, not one with the first after it"},
    {"How", "--no-glue", "", "both: calls and returns are steps of their own"},
    {"How", "--no-symmetry", "", "tell processes apart that do the same"},
    {"How", "--por", "",
     "do not visit what differs only in the order of independent steps: less memory for some "
     "models, "
     "more time for most"},
    {"How", "--no-antichain", "",
     "also visit states again in which the specification allows more than before"},
    {"How", "--no-generators", "",
     "keep all configurations of the specification, not only those that lead to the others"},
    {"How", "--any-trace", "",
     "show the first counterexample that is found, not one with the fewest operations and steps"},
    {"How", "--jobs", "N",
     "threads; default: one for each core; nothing that is found depends on it"},
    {"How", "--hash-compaction", "",
     "keep 64 bits of a hash of each state: less memory, and a small chance, which the report "
     "says, "
     "that states are overlooked"},
    {"How", "--native", "auto|now|never",
     "the model as native code, by the system's compiler: when it is large, at once, or not; "
     "default: auto"},
    {"How", "--simulate", "",
     "one run, and its history: chosen by you if standard input is a terminal, else at random"},
    {"How", "--steps", "N", "at most so many steps of a random run; default: 50"},
    {"How", "--seed", "N", "of a random run; default: 0"},
    {"Limits", "--timeout", "SECONDS", "for each value of --set; then the verdict is undecided"},
    {"Limits", "--memory", "MIB", "of the whole process; then the verdict is undecided"},
    {"Limits", "--checkpoint", "FILE",
     "keep there what the search knows, now and then and when it is cut; go on from it if the file "
     "is there; removed at the end"},
    {"Limits", "--checkpoint-every", "SECONDS", "write it no more often; default: 30"},
    {"Output", "--history", "FILE",
     "write the history of a violation or a simulation, for plumb check --spec MODEL.plumb; - is "
     "standard output"},
    {"Output", "--dot", "FILE",
     "draw the states of a small implementation for Graphviz; - is standard output"},
    {"Output", "--stats", "",
     "what each reduction saves, found out by searching again without it, for some time"},
    {"Output", "--json", "", "one JSON object; of a table one a line, and a summary"},
    {"Output", "--html", "FILE",
     "write a page to look at there: timeline, reasons, steps (docs/viewer.md)"},
    {"Output", "-o,--output", "FILE", "write the report there, not to standard output"},
    {"Output", "--quiet", "", "only the verdict, one line"},
    {"Output", "--ascii", "", "no box-drawing characters; default unless the locale has UTF-8"},
    {"Output", "--junit", "FILE", "also write the verdicts there as JUnit does, for CI servers"},
    {"Output", "--markdown", "FILE",
     "also add a summary to the end of that file, in GitHub's Markdown"},
    {"Output", "--color", "auto|always|never",
     "auto: on a terminal, and not where NO_COLOR is set; default: auto"},
    {"Output", "--progress", "auto|plain|none",
     "on standard error after two seconds: on a terminal only, a line now and then, or not; "
     "default: auto"},
};

inline constexpr OptionRow kConvertOptions[] = {
    {"Formats", "--from", "FORMAT", "of IN; default: found out from its contents"},
    {"Formats", "--to", "FORMAT",
     "native, edn or violin; default: by the name of OUT, .edn or .violin, else native"},
    {"Formats", "--spec", "NAME", "the object's specification, if IN does not say it"},
    {"Formats", "--failed-cas", "mismatch|absent",
     "what a failed cas of Jepsen means: its comparison failed, or it did not happen; default: "
     "mismatch"},
    {"Formats", "--clock-skew", "D",
     "clocks of different processes may differ by this much, in the unit of the file"},
};

/// Unlike CLI11's own, these keep out of --help, where the argument says it all.
inline auto among(std::vector<std::string> words) {
  return [words = std::move(words)](const std::string& given) {
    std::string all;
    for (const std::string& word : words) {
      if (word == given) return std::string();
      all += (all.empty() ? "" : ", ") + word;
    }
    return "'" + given + "' is not one of: " + all;
  };
}
inline std::string positive(const std::string& given) {
  double number = 0;
  const bool good = CLI::detail::lexical_cast(given, number) && number > 0 && number < 1e9;
  return good ? std::string() : "'" + given + "' is not a number above 0";
}

/// Adds the rows of a table to a command, each bound to a variable.
class Binder {
 public:
  Binder(CLI::App& app, std::span<const OptionRow> table) : app_(app), table_(table) {}
  ~Binder() { assert(bound_.size() == table_.size()); }

  template <class T>
  CLI::Option* bind(std::string_view name, T& variable) {
    const OptionRow& row = find(name);
    CLI::Option* option;
    if constexpr (std::is_same_v<T, bool>)
      option = app_.add_flag(std::string(row.name), variable, std::string(row.help));
    else
      option = app_.add_option(std::string(row.name), variable, std::string(row.help))
                   ->type_name(std::string(row.argument));
    return option->group(std::string(row.group));
  }

 private:
  const OptionRow& find(std::string_view name) {
    for (const OptionRow& row : table_)
      if (row.name == name) {
        bound_.insert(name);
        return row;
      }
    assert(!"an option that is not in the table");
    std::abort();
  }

  CLI::App& app_;
  std::span<const OptionRow> table_;
  std::set<std::string_view> bound_;
};

/// What every command that decides something takes.
struct CommonArguments {
  std::string output, html, junit, markdown, color = "auto", progress = "auto";
  std::uint64_t memory = 0, seed = 0;
  double timeout = 0;
  bool json = false, quiet = false, ascii = false;

  void bind_to(Binder& binder) {
    binder.bind("--seed", seed);
    binder.bind("--timeout", timeout)->check(positive);
    binder.bind("--memory", memory)->check(positive);
    binder.bind("--json", json);
    binder.bind("--html", html);
    binder.bind("-o,--output", output);
    binder.bind("--quiet", quiet);
    binder.bind("--ascii", ascii);
    binder.bind("--junit", junit);
    binder.bind("--markdown", markdown);
    binder.bind("--color", color)->check(among({"auto", "always", "never"}));
    binder.bind("--progress", progress)->check(among({"auto", "plain", "none"}));
  }
};

}  // namespace plumb::cli
