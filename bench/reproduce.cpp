// SPDX-License-Identifier: MIT
// plumb_reproduce hk1: Table 1 of Horn & Kroening, "Faster linearizability checking via
// P-compositionality" (FORTE 2015), section 5.2.
//
// Four threads, 70,000 operations each, keys 0..23: 560,000 events per history. The paper's rows
// are TBB's concurrent_unordered_set and Lowe's Scala sets; ours are the same TBB class and our own
// sets (objects/sets) of the same designs. TBB's class cannot remove safely during concurrent use,
// so that row has only insert and contains (as in the paper's own program); a second TBB row uses
// concurrent_hash_map, which can erase.
//
// Columns: WGL, WGL+LRU (4096 entries), WGL+P (Algorithm 3) and Plumb's `auto`, all with --jobs
// threads. Each history is recorded, and each variant runs on it, in its own process: this program
// starts itself as `plumb_reproduce record ...` and `plumb_reproduce decide ...`.
#include <fmt/format.h>
#include <oneapi/tbb/concurrent_hash_map.h>
#include <oneapi/tbb/concurrent_unordered_set.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "../objects/sets/faulty_set.hpp"
#include "../objects/sets/fine_grained_set.hpp"
#include "../objects/sets/lazy_set.hpp"
#include "../objects/sets/lock_free_set.hpp"
#include "../objects/sets/optimistic_set.hpp"
#include "child.hpp"
#include "main.hpp"
#include "plumb/check.hpp"
#include "plumb/formats.hpp"
#include "recording.hpp"
#include "reproduce_soar.hpp"

namespace plumb::bench {
namespace {

// The two TBB classes, with the methods of a set.

class TbbUnorderedSet {
 public:
  bool insert(int key) { return set_.insert(key).second; }
  bool contains(int key) { return set_.find(key) != set_.end(); }
  bool remove(int) { std::abort(); }  // unsafe_erase is not for concurrent use

 private:
  tbb::concurrent_unordered_set<int> set_;
};

class TbbHashMap {
 public:
  bool insert(int key) { return map_.insert({key, true}); }
  bool contains(int key) { return map_.count(key) != 0; }
  bool remove(int key) { return map_.erase(key); }

 private:
  tbb::concurrent_hash_map<int, bool> map_;
};

template <class Set>
std::vector<RecordedOperation> record_new(const Workload& workload) {
  Set set;
  return record(set, workload);
}

struct Figures {
  const char *time, *memory, *timeout;
};

struct Row {
  const char* name;
  unsigned methods;
  std::vector<RecordedOperation> (*record)(const Workload&);
  const char* in_paper;  // its mnemonic in Tables 1 and 2; null: none
  Figures paper[3];      // WGL, WGL+LRU, WGL+P
};

const Row kRows[] = {
    {"tbb-unordered-set",
     2,
     record_new<TbbUnorderedSet>,
     "TBB",
     {{"101 s", "9792", "0 %"}, {"11 s", "670", "0 %"}, {"6 s", "672", "0 %"}}},
    {"tbb-hash-map", 3, record_new<TbbHashMap>, nullptr, {}},
    {"fine-grained",
     3,
     record_new<objects::FineGrainedSet>,
     "FGL",
     {{"16 s", "14297", "0 %"}, {"81 s", "678", "0 %"}, {"5 s", "401", "0 %"}}},
    {"optimistic",
     3,
     record_new<objects::OptimisticSet>,
     "OPTIMIST",
     {{"16 s", "13818", "0 %"}, {"54 s", "678", "9 %"}, {"5 s", "401", "0 %"}}},
    {"lazy",
     3,
     record_new<objects::LazySet>,
     "LLL",
     {{"23 s", "16494", "0 %"}, {"94 s", "678", "0 %"}, {"6 s", "401", "0 %"}}},
    {"lock-free",
     3,
     record_new<objects::LockFreeSet>,
     "LFLL",
     {{"11 s", "11847", "0 %"}, {"15 s", "678", "0 %"}, {"5 s", "402", "0 %"}}},
    {"faulty",
     3,
     record_new<objects::FaultySet>,
     "LFSLF1",
     {{"< 1 s", "404", "0 %"}, {"< 1 s", "407", "0 %"}, {"< 1 s", "402", "0 %"}}},
};

struct Variant {
  const char *name, *title;
  CheckOptions options;
};

const Variant kVariants[] = {
    {"wgl", "WGL", {.engine = "wgl", .partition = false}},
    {"wgl-lru", "WGL+LRU", {.engine = "wgl", .partition = false, .lru_entries = 4096}},
    {"wgl-p", "WGL+P", {.engine = "wgl"}},
    {"plumb", "Plumb", {.engine = "auto"}},
};

struct Settings {
  unsigned histories = 3, threads = 4, operations = 70000, jobs = 1;
  std::uint64_t seed = 1;
  double timeout = 60;
  std::size_t memory_mib = 16384;
  std::vector<std::string> only;
  std::string keep;
};

int record_main(const std::string& row_name, const Workload& given, const std::string& path) {
  for (const Row& row : kRows) {
    if (row_name != row.name) continue;
    Workload workload = given;
    workload.methods = row.methods;
    const std::vector<RecordedOperation> operations = row.record(workload);
    std::vector<std::uint32_t> events(operations.size() * 2);
    for (std::uint32_t i = 0; i < operations.size(); ++i) {
      events[operations[i].call] = i << 1;
      events[operations[i].ret] = i << 1 | 1;
    }
    std::ofstream out(path);
    out << "{\"history\":1,\"object\":\"set\"}\n";
    const char* const names[] = {"insert", "contains", "remove"};
    for (const std::uint32_t event : events) {
      const RecordedOperation& op = operations[event >> 1];
      if (event & 1)
        out << fmt::format("{{\"type\":\"return\",\"process\":{},\"result\":{}}}\n", op.process,
                           op.result);
      else
        out << fmt::format("{{\"type\":\"call\",\"process\":{},\"op\":\"{}\",\"args\":[{}]}}\n",
                           op.process, names[static_cast<int>(op.method)], op.key);
    }
    return out.flush() ? 0 : 70;
  }
  return 64;
}

/// Prints "VERDICT SECONDS REASON".
int decide_main(const std::string& variant_name, const Settings& settings,
                const std::string& path) {
  for (const Variant& variant : kVariants) {
    if (variant_name != variant.name) continue;
    const Result<History> history = read_history(path);
    if (!history) {
      fmt::print(stderr, "{}\n", history.error().to_string());
      return 70;
    }
    CheckOptions options = variant.options;
    options.minimise = false;
    options.timeout_seconds = settings.timeout;
    options.memory_bytes = settings.memory_mib << 20;
    options.jobs = settings.jobs;
    const Result<CheckReport> report = check(*history, options);
    if (!report) {
      fmt::print(stderr, "{}\n", report.error().to_string());
      return 70;
    }
    fmt::print("{} {} {}\n", to_string(report->verdict), report->seconds, report->reason);
    return 0;
  }
  return 64;
}

struct Cell {
  int runs = 0, cut = 0;
  double seconds = 0, mib = 0;  // sums over the runs that finished
  std::map<std::string, int> verdicts;

  std::string time() const {
    return runs == cut ? "-" : fmt::format("{:.3g} s", seconds / (runs - cut));
  }
  std::string memory() const {
    return runs == cut ? "-" : fmt::format("{:.0f}", mib / (runs - cut));
  }
  std::string timeout() const { return fmt::format("{} %", runs == 0 ? 0 : 100 * cut / runs); }
};

class Table {
 public:
  explicit Table(const Settings& settings) : settings_(settings) {
    self_ = std::filesystem::read_symlink("/proc/self/exe").string();
    if (!settings.keep.empty()) {
      folder_ = settings.keep;
      std::filesystem::create_directories(folder_);
    } else {
      std::string pattern = (std::filesystem::temp_directory_path() / "plumb-hk1-XXXXXX").string();
      if (mkdtemp(pattern.data()) != nullptr) folder_ = pattern;
    }
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  ~Table() {
    std::error_code ignored;
    if (settings_.keep.empty() && !folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }

  int run() {
    fmt::print(
        "{} threads x {} operations, keys 0..23; {} histories a row, seeds {}..{}; "
        "limits {} s and {} MiB; {} thread(s) decide\n\n",
        settings_.threads, settings_.operations, settings_.histories, settings_.seed,
        settings_.seed + settings_.histories - 1, settings_.timeout, settings_.memory_mib,
        settings_.jobs);
    for (const Row& row : kRows) {
      if (!settings_.only.empty() &&
          std::find(settings_.only.begin(), settings_.only.end(), row.name) == settings_.only.end())
        continue;
      Cells& cells = table_.emplace_back(&row, Cells{}).second;
      for (unsigned i = 0; i < settings_.histories; ++i)
        if (!one(row, settings_.seed + i, cells)) return 70;
    }
    print();
    return 0;
  }

 private:
  using Cells = std::array<Cell, std::size(kVariants)>;

  bool one(const Row& row, std::uint64_t seed, Cells& cells) {
    const std::string path = fmt::format("{}/{}_{}.jsonl", folder_, row.name, seed);
    const ChildResult recorded = run_child(
        {self_, "record", row.name, path, "--seed", fmt::to_string(seed), "--threads",
         fmt::to_string(settings_.threads), "--operations", fmt::to_string(settings_.operations)},
        600);
    if (recorded.exit_status != 0) {
      fmt::print(stderr, "plumb_reproduce: cannot record {}\n", path);
      return false;
    }
    for (std::size_t i = 0; i < std::size(kVariants); ++i) {
      // Twice the time limit and a margin, for reading and for a process that overruns its limit.
      const ChildResult child = run_child(
          {self_, "decide", kVariants[i].name, path, "--timeout", fmt::to_string(settings_.timeout),
           "--memory", fmt::to_string(settings_.memory_mib), "--jobs",
           fmt::to_string(settings_.jobs)},
          2 * settings_.timeout + 30);
      std::istringstream words(child.output);
      std::string verdict = "undecided", reason;
      double seconds = 0;
      words >> verdict >> seconds;
      std::getline(words, reason);
      if (child.exit_status != 0) reason = child.killed ? " killed" : " failed";
      Cell& cell = cells[i];
      ++cell.runs;
      ++cell.verdicts[verdict];
      if (verdict == "undecided") ++cell.cut;
      else cell.seconds += seconds, cell.mib += child.peak_mib;
      fmt::print("{:18} seed {:<4} {:8} {:9} {:8.3f} s {:7.0f} MiB{}\n", row.name, seed,
                 kVariants[i].title, verdict, seconds, child.peak_mib, reason);
      std::fflush(stdout);
    }
    if (settings_.keep.empty()) std::filesystem::remove(path);
    return true;
  }

  void print() const {
    fmt::print(
        "\nAverages of the runs that were not cut. Memory in MiB: ours is the peak resident "
        "size of the process, the paper's is virtual memory. The paper's limit was 1 hour.\n\n");
    fmt::print("{:18} {:10}", "", "");
    for (const Variant& variant : kVariants) fmt::print(" |{:^26}", variant.title);
    fmt::print("\n{:18} {:10}", "set", "verdict");
    for (std::size_t i = 0; i < std::size(kVariants); ++i)
      fmt::print(" |{:>10}{:>8}{:>8}", "time", "memory", "cut");
    fmt::print("\n");
    for (const auto& [row, cells] : table_) {
      fmt::print("{:18} {:10}", row->name, verdict(cells));
      for (const Cell& cell : cells)
        fmt::print(" |{:>10}{:>8}{:>8}", cell.time(), cell.memory(), cell.timeout());
      fmt::print("\n");
      if (row->in_paper == nullptr) continue;
      fmt::print("{:18} {:10}", fmt::format("  paper: {}", row->in_paper), "");
      for (const Figures& figures : row->paper)
        fmt::print(" |{:>10}{:>8}{:>8}", figures.time, figures.memory, figures.timeout);
      fmt::print(" |\n");
    }
  }

  static std::string verdict(const Cells& cells) {
    std::map<std::string, int> all;
    for (const Cell& cell : cells) all.insert(cell.verdicts.begin(), cell.verdicts.end());
    all.erase("undecided");
    std::string text;
    for (const auto& [verdict, count] : all) text += (text.empty() ? "" : "/") + verdict;
    return text.empty() ? "undecided" : text;
  }

  Settings settings_;
  std::string self_, folder_;
  std::vector<std::pair<const Row*, Cells>> table_;
};

}  // namespace

int run(int argc, char** argv) {
  Settings settings;
  Workload workload;
  std::string row, variant, path;
  CLI::App app{"Reproduces tables of the papers."};
  app.require_subcommand(1);

  CLI::App* hk1 = app.add_subcommand("hk1", "Horn & Kroening, Table 1: concurrent sets");
  hk1->add_option("--histories", settings.histories, "A row")->capture_default_str();
  hk1->add_option("--seed", settings.seed, "Of the first history")->capture_default_str();
  hk1->add_option("--threads", settings.threads)->capture_default_str()->check(CLI::Range(1, 64));
  hk1->add_option("--operations", settings.operations, "A thread")->capture_default_str();
  hk1->add_option("--only", settings.only, "These rows");
  hk1->add_option("--keep", settings.keep, "Keep the recorded histories in this folder");

  SoarSettings soar_settings;
  CLI::App* soar =
      app.add_subcommand("soar", "Guerraoui & Vukolic, Figure 7: assertions for registers");
  soar->add_option("--largest", soar_settings.largest, "Operations")->capture_default_str();
  soar->add_option("--histories", soar_settings.histories, "A row")->capture_default_str();
  soar->add_option("--seed", soar_settings.seed, "Of the first history")->capture_default_str();
  soar->add_option("--timeout", soar_settings.timeout, "Seconds a history")->capture_default_str();

  CLI::App* record = app.add_subcommand("record", "One history")->group("");
  record->add_option("ROW", row)->required();
  record->add_option("FILE", path)->required();
  record->add_option("--seed", workload.seed);
  record->add_option("--threads", workload.threads);
  record->add_option("--operations", workload.operations);

  CLI::App* decide = app.add_subcommand("decide", "One variant on one history")->group("");
  decide->add_option("VARIANT", variant)->required();
  decide->add_option("FILE", path)->required();

  for (CLI::App* command : {hk1, decide}) {
    command->add_option("--timeout", settings.timeout, "Seconds")->capture_default_str();
    command->add_option("--memory", settings.memory_mib, "MiB")->capture_default_str();
    command->add_option("--jobs", settings.jobs, "Threads that decide; 0: all cores")
        ->capture_default_str();
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) { return app.exit(error) == 0 ? 0 : 64; }
  if (*soar) return reproduce_soar(soar_settings);
  if (*record) return record_main(row, workload, path);
  if (*decide) return decide_main(variant, settings, path);
  return Table(settings).run();
}

}  // namespace plumb::bench
