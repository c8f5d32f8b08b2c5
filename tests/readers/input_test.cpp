// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "readers/read.hpp"

namespace plumb {
namespace {

using testing::EndsWith;
using testing::StartsWith;

/// The text, so many times over.
std::string gzip(std::string_view text, int times = 1) {
  z_stream s{};
  EXPECT_EQ(deflateInit2(&s, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&s, text.size()) + (std::size_t{1} << 20), '\0');
  s.next_out = reinterpret_cast<Bytef*>(out.data());
  s.avail_out = static_cast<uInt>(out.size());
  for (int i = 0; i < times; ++i) {
    s.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    s.avail_in = static_cast<uInt>(text.size());
    EXPECT_EQ(deflate(&s, Z_NO_FLUSH), Z_OK);
  }
  EXPECT_EQ(deflate(&s, Z_FINISH), Z_STREAM_END);
  out.resize(s.total_out);
  deflateEnd(&s);
  return out;
}

std::string zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

std::string long_history(int operations) {
  std::string text;
  for (int i = 0; i < operations; ++i)
    text += R"({"type":"call","process":1,"op":"write","args":[)" +
            std::to_string(i * 7919 % 1009) + "]}\n{\"type\":\"return\",\"process\":1}\n";
  return text;
}

class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view contents) {
    path_ = (std::filesystem::temp_directory_path() / "plumb_input_XXXXXX").string();
    const int fd = mkstemp(path_.data());
    EXPECT_GE(fd, 0);
    if (fd >= 0) close(fd);
    std::ofstream(path_, std::ios::binary) << contents;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(Input, CompressedTextIsTheSameHistory) {
  const std::string text = long_history(30000);
  const std::string plain = events(read(text));
  EXPECT_EQ(events(read(gzip(text))), plain);
  EXPECT_EQ(events(read(zstd(text))), plain);
  for (const std::string& contents : {text, gzip(text), zstd(text)}) {
    const TemporaryFile file(contents);
    const Result<History> h = read_history(file.path());
    ASSERT_TRUE(h.ok()) << h.error().to_string();
    EXPECT_EQ(events(*h), plain);
    EXPECT_EQ(h->file, file.path());
  }
}

TEST(Input, CompressedPiecesMayFollowEachOther) {
  const std::string text = long_history(10), first = text.substr(0, 300), rest = text.substr(300);
  EXPECT_EQ(read(gzip(first) + gzip(rest) + std::string(512, '\0')).size(), 10u);
  EXPECT_EQ(read(zstd(first) + zstd(rest)).size(), 10u);
}

TEST(Input, TruncatedDataAreRefusedWhereverTheyEnd) {
  const std::string text = long_history(2000);
  const std::string g = gzip(text), z = zstd(text);
  for (std::size_t cut = 5; cut < g.size(); cut += g.size() / 17)
    EXPECT_THAT(error_of(g.substr(0, cut)), EndsWith(": the gzip data end too early")) << cut;
  for (std::size_t cut = 5; cut < z.size(); cut += z.size() / 17)
    EXPECT_THAT(error_of(z.substr(0, cut)), EndsWith(": the zstd data end too early")) << cut;
}

TEST(Input, ATruncatedFileNamesTheLineUpToWhichItCouldBeRead) {
  const std::string text = long_history(50000);
  const std::string error = error_of(gzip(text).substr(0, gzip(text).size() - 9));
  EXPECT_GT(std::stoi(error), 50000) << error;
}

TEST(Input, DamagedDataAreRefused) {
  std::string g = gzip(long_history(2000)), z = zstd(long_history(2000));
  g[g.size() / 2] ^= 0x55;
  z[z.size() / 2] ^= 0x55;
  EXPECT_FALSE(read_history_text(g, "test").ok());
  EXPECT_FALSE(read_history_text(z, "test").ok());
  EXPECT_THAT(error_of(gzip(long_history(1)) + "garbage"),
              StartsWith("1: the gzip data are damaged"));
}

TEST(Input, AnErrorStopsTheThreadThatReadsAhead) {
  const std::string text = "{\"type\":\"oops\"}\n" + long_history(100000);
  EXPECT_EQ(error_of(gzip(text)), "1: unknown \"type\"");
}

TEST(Input, MissingFilesAndDirectories) {
  const Result<History> missing = read_history("/no/such/file");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().kind, ErrorKind::missing_file);
  EXPECT_EQ(missing.error().file, "/no/such/file");
  const Result<History> directory = read_history("/");
  ASSERT_FALSE(directory.ok());
  EXPECT_EQ(directory.error().kind, ErrorKind::missing_file);
  EXPECT_EQ(directory.error().message, "is a directory");
}

TEST(Input, EmptyFilesAreRefused) {
  for (const std::string& text : {std::string(), std::string("\n \n"), gzip(""), zstd("")})
    EXPECT_EQ(error_of(text), "0: is empty");
}

TEST(Input, ALineAboveTheLimitIsRefusedInEveryFormatOfLines) {
  const ReadOptions options{.line_limit = 1000};
  const std::string x(2000, 'x');
  EXPECT_EQ(error_of("{\"history\":1}\n{\"op\":\"" + x + "\"}\n", options),
            "2: a line of more than 1000 bytes");
  EXPECT_EQ(error_of("[1] call add(1)\n[1] return " + x, options),
            "2: a line of more than 1000 bytes");
  EXPECT_EQ(error_of("enq 1 2 3\n" + x, options), "2: a line of more than 1000 bytes");
}

TEST(Input, AnEndlessLineTakesBoundedMemory) {
  // 200 MB of one line in 200 kB of gzip; the limit stops it at a megabyte.
  const std::string endless = gzip("{" + std::string(1 << 20, ' '), 200);
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  EXPECT_EQ(error_of(endless, {.format = "native", .line_limit = 1 << 20}),
            "1: a line of more than 1048576 bytes");
  getrusage(RUSAGE_SELF, &after);
#ifndef PLUMB_SANITIZED
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 32 << 10) << "kilobytes";
#endif
}

TEST(Input, LinesLongerThanABlockAreRead) {
  const std::string x(3 << 20, 'x');
  const History h = read("{\"type\":\"call\",\"process\":1,\"op\":\"write\",\"args\":[\"" + x +
                         "\"]}\n{\"type\":\"return\",\"process\":1}\n");
  ASSERT_EQ(h.size(), 1u);
  EXPECT_EQ(h.call_of(0).args[0].as_text(), x);
  EXPECT_TRUE(h.returned(0));
}

}  // namespace
}  // namespace plumb
