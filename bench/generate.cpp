// SPDX-License-Identifier: MIT
// plumb_generate KIND: writes a simulated history as native JSON Lines.
#include <fmt/format.h>
#include <zlib.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "main.hpp"
#include "simulation.hpp"

namespace plumb::bench {
namespace {

/// Standard output or a file, compressed if its name ends with .gz.
class Output {
 public:
  explicit Output(const std::string& path)
      : file_(path.empty() ? gzdopen(1, "wT") : gzopen(path.c_str(), gzipped(path) ? "w" : "wT")) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() { close(); }
  bool ok() const { return file_ != nullptr && !failed_; }
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    buffer_.push_back('\n');
    if (buffer_.size() > 1 << 16) flush();
  }
  bool close() {
    if (file_ == nullptr) return false;
    flush();
    if (gzclose(std::exchange(file_, nullptr)) != Z_OK) failed_ = true;
    return !failed_;
  }

 private:
  static bool gzipped(const std::string& path) {
    return path.size() > 3 && path.compare(path.size() - 3, 3, ".gz") == 0;
  }
  void flush() {
    const auto size = static_cast<unsigned>(buffer_.size());
    if (size != 0 && gzwrite(file_, buffer_.data(), size) != static_cast<int>(size)) failed_ = true;
    buffer_.clear();
  }
  gzFile file_;
  fmt::memory_buffer buffer_;
  bool failed_ = false;
};

std::string arguments(const SimulatedOperation& op) {
  switch (op.does) {
    case Does::read:
    case Does::take: return "[]";
    case Does::cas: return fmt::format("[{},{}]", op.first, op.second);
    default: return fmt::format("[{}]", op.first);
  }
}

std::string result(const SimulatedOperation& op) {
  if (!op.result) return "null";
  const bool boolean = op.does == Does::cas || op.does == Does::insert || op.does == Does::remove ||
                       op.does == Does::contains;
  return boolean ? (*op.result ? "true" : "false") : fmt::format("{}", *op.result);
}

void write_events(const Simulation& simulation, Output& out) {
  std::vector<std::pair<std::uint32_t, bool>> events(simulation.events);  // operation, is it a call
  for (std::uint32_t i = 0; i < simulation.operations.size(); ++i) {
    events[simulation.operations[i].call] = {i, true};
    events[simulation.operations[i].ret] = {i, false};
  }
  for (const auto& [index, is_call] : events) {
    const SimulatedOperation& op = simulation.operations[index];
    if (is_call)
      out.line(R"({{"type":"call","process":{},"op":"{}","args":{}}})", op.process,
               simulation.method(op), arguments(op));
    else if (op.crashed) out.line(R"({{"type":"crash","process":{}}})", op.process);
    else out.line(R"({{"type":"return","process":{},"result":{}}})", op.process, result(op));
  }
}

void write_operations(const Simulation& simulation, Output& out) {
  for (const SimulatedOperation& op : simulation.operations) {
    const std::string common =
        fmt::format(R"("process":{},"op":"{}","args":{},"call":{})", op.process,
                    simulation.method(op), arguments(op), op.call);
    if (op.crashed) out.line(R"({{{},"return":null}})", common);
    else out.line(R"({{{},"result":{},"return":{}}})", common, result(op), op.ret);
  }
}

}  // namespace

int run(int argc, char** argv) {
  std::string name, format = "events", path;
  unsigned clients = 0;
  std::size_t operations = 1000;
  std::uint64_t seed = 1;
  bool bad = false, subtle = false;
  std::size_t stale = 0;
  double unknown = 0.02;
  CLI::App app{"Writes a simulated history of known verdict, the same for the same seed."};
  app.add_option("KIND", name, "One of: " + kind_names())->required();
  app.add_option("--clients", clients, "Default: 5 for registers, 50 if low, else 4")
      ->check(CLI::Range(1, 100000));
  app.add_option("--operations", operations)->capture_default_str()->check(CLI::Range(1, 1 << 30));
  app.add_option("--seed", seed)->capture_default_str();
  app.add_flag("--bad", bad, "One wrong result at about 97 %: a violation");
  app.add_flag("--bad-subtle", subtle, "As --bad, but a register returns a value that it has had");
  app.add_option("--stale", stale,
                 "reg: so many reads return any of the values; the verdict is then not known");
  app.add_option("--unknown", unknown,
                 "crash: writes of unknown outcome, as a part of all operations")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 0.3));
  app.add_option("--format", format, "One event a line, or one operation a line")
      ->capture_default_str()
      ->check(CLI::IsMember({"events", "operations"}));
  app.add_option("-o,--output", path, "Default: standard output; *.gz is compressed");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) { return app.exit(error) == 0 ? 0 : 64; }

  std::optional<Kind> kind = find_kind(name);
  if (!kind) {
    fmt::print(stderr, "plumb_generate: no kind '{}'; there are {}\n", name, kind_names());
    return 64;
  }
  if (kind->unknown > 0) kind->unknown = unknown;
  if (clients == 0) clients = kind->low ? 50 : kind->shape == Shape::reg ? 5 : 4;

  Simulation simulation = simulate(*kind, clients, operations, seed);
  if ((bad || subtle) && !spoil(simulation, subtle, seed)) {
    fmt::print(stderr,
               "plumb_generate: found no place where a wrong result is surely a violation; "
               "try another seed, more operations or fewer clients\n");
    return 70;
  }
  if (stale > 0 && kind->shape == Shape::reg && !kind->unique) make_stale(simulation, stale, seed);
  Output out(path);
  if (!out.ok()) {
    fmt::print(stderr, "plumb_generate: cannot write {}\n", path);
    return 66;
  }
  out.line(R"({{"history":1,"object":"{}"}})", simulation.specification());
  if (format == "events") write_events(simulation, out);
  else write_operations(simulation, out);
  if (out.close()) return 0;
  fmt::print(stderr, "plumb_generate: cannot write everything\n");
  return 70;
}

}  // namespace plumb::bench
