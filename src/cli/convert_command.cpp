// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <ostream>
#include <streambuf>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "plumb/formats.hpp"

namespace plumb::cli {
namespace {

struct ConvertArguments {
  std::string in, out, from, to, specification, failed_cas, clock_skew;
};

std::string format_by_name(const std::string& out) {
  if (out.ends_with(".edn")) return "edn";
  if (out.ends_with(".violin")) return "violin";
  return "native";
}

// Hands the text on as it is made: a history may be larger than memory is free.
class OutputBuffer : public std::streambuf {
 public:
  explicit OutputBuffer(Output& output) : output_(output) {}

 protected:
  int_type overflow(int_type c) override {
    if (c != traits_type::eof()) {
      const char byte = static_cast<char>(c);
      output_.write({&byte, 1});
    }
    return c;
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    output_.write({text, static_cast<std::size_t>(size)});
    return size;
  }

 private:
  Output& output_;
};

Status convert(const ConvertArguments& a) {
  Result<ReadOptions> options = make_read_options(a.from, a.failed_cas, a.clock_skew);
  if (!options.ok()) return std::move(options.error());
  options->specification = a.specification;
  const Result<History> history = read_history(a.in, *options);
  if (!history.ok()) return history.error();
  Output output;
  if (Status opened = output.open(a.out); !opened.ok()) return opened;
  OutputBuffer buffer(output);
  std::ostream stream(&buffer);
  const std::string format = a.to.empty() ? format_by_name(a.out) : a.to;
  Status written = write_history(*history, format, stream);
  if (written.ok()) return output.flush();
  if (a.out != "-") std::remove(a.out.c_str());  // half a history is none
  return written;
}

}  // namespace

std::function<int()> add_convert_command(CLI::App& root) {
  const auto arguments = std::make_shared<ConvertArguments>();
  CLI::App* app = root.add_subcommand("convert", "write a history in another format");
  app->add_option("IN", arguments->in, "the history; - is standard input")->required();
  app->add_option("OUT", arguments->out, "where to write it; - is standard output")->required();
  const auto names = [](std::span<const std::string_view> all) {
    return among({all.begin(), all.end()});
  };
  Binder binder(*app, kConvertOptions);
  binder.bind("--from", arguments->from)->check(names(readable_formats()));
  binder.bind("--to", arguments->to)->check(names(writable_formats()));
  binder.bind("--spec", arguments->specification);
  binder.bind("--failed-cas", arguments->failed_cas)->check(among({"mismatch", "absent"}));
  binder.bind("--clock-skew", arguments->clock_skew);
  return [arguments] {
    const Status done = convert(*arguments);
    if (done.ok()) return 0;
    print_error(done.error());
    return static_cast<int>(done.error().kind);
  };
}

}  // namespace plumb::cli
