// SPDX-License-Identifier: MIT
// plumb_reading FILE...: the time to read a history, compared with the unavoidable part:
// decompressing it, and parsing every line with simdjson without keeping anything.
//
// The three are measured in turns, so that they see the same machine load; each figure is the
// median.
#include <fmt/format.h>
#include <simdjson.h>
#include <zlib.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "main.hpp"
#include "plumb/formats.hpp"

namespace plumb::bench {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;

/// Calls `whole_lines(data, size)` with blocks that end at a newline and have room for simdjson's
/// padding behind them. Returns: whether the file could be read.
template <class WholeLines>
bool decompress(const std::string& path, WholeLines whole_lines) {
  gzFile file = gzopen(path.c_str(), "r");
  if (file == nullptr) return false;
  gzbuffer(file, kBlock);
  std::vector<char> block(kBlock + simdjson::SIMDJSON_PADDING);
  std::size_t kept = 0;
  int got = 0;
  while ((got = gzread(file, block.data() + kept, static_cast<unsigned>(kBlock - kept))) > 0) {
    const std::size_t size = kept + static_cast<std::size_t>(got);
    const void* newline = memrchr(block.data(), '\n', size);
    const std::size_t whole =
        newline == nullptr
            ? 0
            : static_cast<std::size_t>(static_cast<const char*>(newline) + 1 - block.data());
    whole_lines(block.data(), whole);
    kept = size - whole;
    if (kept == kBlock) break;  // a line longer than the block: not for this benchmark
    std::memmove(block.data(), block.data() + whole, kept);
  }
  return gzclose(file) == Z_OK && got == 0 && kept == 0;
}

/// Visits everything in a value, as any reader must.
std::uint64_t visit(simdjson::ondemand::value value) {
  switch (value.type().value()) {
    case simdjson::ondemand::json_type::string: return value.get_string().value().size();
    case simdjson::ondemand::json_type::number:
      return static_cast<std::uint64_t>(value.get_number().value().as_double());
    case simdjson::ondemand::json_type::boolean: return value.get_bool().value();
    case simdjson::ondemand::json_type::null: return value.is_null();
    case simdjson::ondemand::json_type::array: {
      std::uint64_t sum = 0;
      for (auto item : value.get_array()) sum += visit(item.value());
      return sum;
    }
    default: return 0;
  }
}

struct Parsed {
  std::uint64_t lines = 0, checksum = 0;
};

std::optional<Parsed> parse(const std::string& path) {
  Parsed parsed;
  simdjson::ondemand::parser parser;
  const bool read = decompress(path, [&](const char* data, std::size_t size) {
    for (const char *at = data, *end = data + size; at < end; ++parsed.lines) {
      const char* newline =
          static_cast<const char*>(memchr(at, '\n', static_cast<std::size_t>(end - at)));
      const auto length = static_cast<std::size_t>(newline - at);
      auto document = parser.iterate(at, length, length + simdjson::SIMDJSON_PADDING);
      for (auto field : document.get_object())
        parsed.checksum += field.unescaped_key().value().size() + visit(field.value().value());
      at = newline + 1;
    }
  });
  if (!read) return {};
  return parsed;
}

double seconds_of(const std::function<bool()>& action) {
  const auto start = std::chrono::steady_clock::now();
  if (!action()) return -1;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                   times.end());
  return times[times.size() / 2];
}

}  // namespace

int run(int argc, char** argv) {
  std::vector<std::string> files;
  int repeat = 7;
  CLI::App app{"Reading time against zlib and simdjson alone (JSON Lines, plain or gzip)."};
  app.add_option("FILE", files)->required();
  app.add_option("--repeat", repeat)->capture_default_str()->check(CLI::Range(1, 1000));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) { return app.exit(error) == 0 ? 0 : 64; }
  fmt::print("{:>9} {:>12} {:>14} {:>10} {:>7}  file\n", "lines", "decompress", "and simdjson",
             "Plumb", "ratio");
  for (const std::string& file : files) {
    std::vector<double> decompressing, parsing, reading;
    std::optional<Parsed> parsed;
    for (int i = 0; i < repeat; ++i) {
      decompressing.push_back(
          seconds_of([&] { return decompress(file, [](const char*, std::size_t) {}); }));
      try {
        parsing.push_back(seconds_of([&] { return (parsed = parse(file)).has_value(); }));
      } catch (const simdjson::simdjson_error& error) {
        fmt::print(stderr, "{}: {}\n", file, error.what());
        return 65;
      }
      reading.push_back(seconds_of([&] { return read_history(file).ok(); }));
      if (decompressing.back() < 0 || parsing.back() < 0 || reading.back() < 0) {
        fmt::print(stderr, "{}: cannot be read\n", file);
        return 65;
      }
    }
    fmt::print("{:>9} {:>10.4f} s {:>12.4f} s {:>8.4f} s {:>7.2f}  {}\n", parsed->lines,
               median(decompressing), median(parsing), median(reading),
               median(reading) / median(parsing), file);
  }
  return 0;
}

}  // namespace plumb::bench
