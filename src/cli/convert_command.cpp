// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <ostream>
#include <streambuf>

#include "base/output_file.hpp"
#include "cli/commands.hpp"
#include "plumb/formats.hpp"

namespace plumb::cli {
namespace {

std::string format_by_name(const std::string& out) {
  if (out.ends_with(".edn")) return "edn";
  if (out.ends_with(".violin")) return "violin";
  return "native";
}

// Hands the text on as it is made: a history may be larger than memory is free.
class OutputBuffer : public std::streambuf {
 public:
  explicit OutputBuffer(OutputFile& output) : output_(output) {}

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
  OutputFile& output_;
};

Status convert(const std::string& in, const std::string& out, const Settings& settings) {
  Result<ReadOptions> options = make_read_options(settings.from, settings);
  if (!options.ok()) return std::move(options.error());
  options->specification = settings.spec;
  const Result<History> history = read_history(in, *options);
  if (!history.ok()) return history.error();
  OutputFile output;
  if (Status opened = output.open(out); !opened.ok()) return opened;
  OutputBuffer buffer(output);
  std::ostream stream(&buffer);
  const std::string format = settings.to.empty() ? format_by_name(out) : settings.to;
  // Half a history is none.
  Status written = write_history(*history, format, stream);
  return written.ok() ? output.commit() : std::move(written);
}

}  // namespace

ExitStatus run_convert(const Parsed& parsed) {
  return finish(convert(parsed.arguments[0], parsed.arguments[1], parsed.settings));
}

}  // namespace plumb::cli
