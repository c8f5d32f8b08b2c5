// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/run_plumb.hpp"

namespace plumb::test {
namespace {

TEST(BadInput, AGigabyteOnOneLineIsRefusedInLittleMemory) {
  const std::string path = scratch() + "/huge.jsonl";
  write_file("huge.jsonl",
             "{\"history\":1,\"object\":\"queue\"}\n"
             "{\"type\":\"call\",\"process\":0,\"op\":\"enq\",\"args\":[\"");
  std::filesystem::resize_file(path, std::size_t{1} << 30);
  const RunResult ran = run_plumb({.args = {"check", path}});
  EXPECT_EQ(ran.status, 65);
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(ran.err.starts_with("plumb: " + path + ":2: ")) << ran.err;
  EXPECT_LT(ran.peak_bytes, std::size_t{400} << 20);
}

TEST(Check, AMillionOperationsInLittleMemory) {
  std::string text = "{\"history\":1,\"object\":\"register\"}\n";
  for (int i = 0; i < 1'000'000; ++i) {
    const std::string p = std::to_string(i % 4), v = std::to_string(i % 5);
    text += "{\"type\":\"call\",\"process\":" + p + ",\"op\":\"write\",\"args\":[" + v +
            "]}\n{\"type\":\"return\",\"process\":" + p + ",\"result\":null}\n";
  }
  const RunResult ran =
      run_plumb({.args = {"check", write_file("million.jsonl", text), "--quiet"}});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_LT(ran.peak_bytes, std::size_t{400} << 20);
}

}  // namespace
}  // namespace plumb::test
