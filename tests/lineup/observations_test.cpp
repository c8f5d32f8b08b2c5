// SPDX-License-Identifier: MIT
// Observation files: what was written is read back, what was damaged is refused with its line.
#include "lineup/observations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "base/text.hpp"
#include "lineup/random_classes.hpp"
#include "lineup/simulated.hpp"
#include "lineup/xml_text.hpp"

namespace plumb::lineup {
namespace {

using testing::StartsWith;

// dec() waits for a count above zero.
Simulated blocking_counter() {
  return {"Counter",
          {0},
          {{"inc", "inc()", {[](Shared& s, Local&) { return ++s[0], returns(); }}},
           {"add", "add(5)", {[](Shared& s, Local&) {
              return s[0] += 5, returns("<\"5\" & more>\n");
            }}},
           {"dec", "dec()", {[](Shared& s, Local&) {
              return s[0] == 0 ? blocks() : (--s[0], returns("\x01\xff"));
            }}},
           {"get", "get()", {[](Shared& s, Local&) { return returns(std::to_string(s[0])); }}}}};
}

SerialHistories serial_of(Simulated& runner, const Matrix& test) {
  SerialHistories serial;
  runner.serial(test, [&](const ObservedHistory& history) { return serial.add(history), true; });
  return serial;
}

std::string file_of(const std::string& test) {
  Simulated runner = blocking_counter();
  const Matrix matrix = runner.test(test);
  return to_xml(matrix, runner.object(), serial_of(runner, matrix), runner.results());
}

// What becomes of a file.
struct ReadFile {
  ReadFile(const std::string& xml, const std::string& test) {
    Simulated runner = blocking_counter();
    error = from_xml(xml, runner.test(test), runner.object(), runner.results(), serial);
  }
  std::size_t histories() const { return serial.full().size() + serial.stuck().size(); }
  std::string error;
  SerialHistories serial;
};

std::string edited(std::string xml, const std::string& from, const std::string& to) {
  const std::size_t at = xml.find(from);
  EXPECT_NE(at, xml.npos) << from;
  return at == xml.npos ? xml : xml.replace(at, from.size(), to);
}

constexpr char kTest[] = "inc, get | get";
const std::string& counter_file() {
  static const std::string file = file_of(kTest);
  return file;
}

// The message for the file with a change.
std::string refusal(const std::string& from, const std::string& to) {
  const ReadFile read(edited(counter_file(), from, to), kTest);
  EXPECT_EQ(read.histories(), 0u) << to;
  return read.error;
}

// ... whose first operation may block.
constexpr char kBlocking[] = "dec | inc";
std::string blocking_refusal(const std::string& from, const std::string& to) {
  return ReadFile(edited(file_of(kBlocking), from, to), kBlocking).error;
}

TEST(Observations, TheFileThatTheseTestsDamage) {
  EXPECT_THAT(counter_file(), StartsWith(R"(<observationset>
  <observation>
    <thread id="A">1 2</thread>
    <thread id="B">3</thread>
    <op id="1" name="inc" />
    <op id="2" name="get">result="1"</op>
    <op id="3" name="get">result="0"</op>
    <history>3[ ]3 1[ ]1 2[ ]2</history>
  </observation>
)"));
  EXPECT_EQ(ReadFile(counter_file(), kTest).error, "");
  EXPECT_EQ(ReadFile(counter_file(), kTest).serial.full().size(), 3u);
}

TEST(Observations, NothingBlocksButTheLastCall) {
  EXPECT_EQ(refusal("3[ ]3 1[", "3[ ]3 # 1["),
            "line 8: '#' comes after a call, in place of its return");
  EXPECT_EQ(refusal("3[ ]3 1[", "3[ # 1["), "line 8: nothing comes after '#', but '1['");
  EXPECT_EQ(refusal("3[ ]3 1[", "# 3[ ]3 1["),
            "line 8: '#' comes after a call, in place of its return");
}

TEST(Observations, ACallIsFollowedByItsReturn) {
  EXPECT_EQ(refusal("3[ ]3 1[", "3[ 1["), "line 8: '1[' does not return from the call before it");
  EXPECT_EQ(refusal("2[ ]2<", "2[<"), "line 8: '2[' is followed by neither ]2 nor #");
  EXPECT_EQ(refusal("3[ ]3 1[", "]3 1["),
            "line 8: ']3' is not a call of an operation of this section");
  EXPECT_EQ(refusal("3[ ]3 1[", "4[ ]4 1["),
            "line 8: '4[' is not a call of an operation of this section");
}

TEST(Observations, AHistoryHasEachOperationOnceInTheOrderOfItsThread) {
  EXPECT_EQ(refusal("3[ ]3 1[", "3[ ]3 3[ ]3 1["),
            "line 8: operation 3 is not the next one of its thread, B");
  EXPECT_EQ(refusal("1[ ]1 2[ ]2", "2[ ]2 1[ ]1"),
            "line 8: operation 2 is not the next one of its thread, A");
  EXPECT_EQ(refusal("3[ ]3 1[ ]1 2[ ]2", "3[ ]3 1[ ]1"),
            "line 8: operation 2 of its thread A is missing");
  EXPECT_EQ(refusal("3[ ]3 1[ ]1 2[ ]2", ""), "line 8: operation 1 of its thread A is missing");
}

TEST(Observations, AThreadSaysThatACallBlocksIfTheHistoryDoes) {
  EXPECT_EQ(refusal(">3<", ">3B<"), "line 7: an operation that blocks (B) has no result");
  EXPECT_EQ(refusal("1 2<", "1B 2<"), "line 8: 1B in its thread needs # after 1[");
  EXPECT_EQ(blocking_refusal("1B", "1"), "line 13: # after 1[ needs 1B in its thread");
  EXPECT_EQ(blocking_refusal("1[ #", "1[ ]1"), "line 13: 1B in its thread needs # after 1[");
}

TEST(Observations, OperationsAreThoseOfTheClass) {
  EXPECT_EQ(refusal("\"2\" name=\"get\"", "\"2\" name=\"gett\""),
            "line 6: there is no operation 'gett()' of Counter; there are inc(), add(5), dec(), "
            "get()");
  EXPECT_THAT(refusal("name=\"inc\" />", "name=\"inc\">value=\"1\"</op>"),
              StartsWith("line 5: there is no operation 'inc(1)' of Counter"));
}

TEST(Observations, AnOperationSaysNothingButItsArgumentsAndItsResult) {
  const std::string expected =
      "is not expected here, but once each value=\"...\" and result=\"...\"";
  for (const char* wrong : {"result=0", "result=\"0", "result", "=", "reslt=\"0\"", "0"}) {
    const std::string word = wrong;
    EXPECT_EQ(refusal("result=\"0\"", word), "line 7: '" + word + "' " + expected);
  }
  EXPECT_EQ(refusal("result=\"0\"", "result=\"0\" result=\"1\""),
            "line 7: 'result=\"1\"' " + expected);
  EXPECT_THAT(refusal("result=\"0\"", "result=\"&nbsp;\""), StartsWith("line 7: '&nbsp;' is none"));
  EXPECT_THAT(refusal("result=\"0\"", "result=\"&\""), StartsWith("line 7: '&' is none of &amp;"));
  EXPECT_EQ(refusal("result=\"0\"", "result=\"<\""), "line 7: <op> has no end");
}

TEST(Observations, AnOperationIsThereOnceInOneThread) {
  EXPECT_EQ(refusal("<op id=\"3\"", "<op id=\"2\""), "line 7: this section has two operations 2");
  EXPECT_EQ(refusal(">3<", ">2<"), "line 4: operation 2 is called twice");
  EXPECT_EQ(refusal(">3<", "><"), "line 7: no <thread> calls operation 3");
  EXPECT_EQ(refusal(">3<", ">3 4<"), "line 4: there is no <op> 4 in this section");
  EXPECT_EQ(refusal(">3<", ">3C<"), "line 4: '3C' is no number of an operation");
  EXPECT_EQ(
      refusal("id=\"B\"", "id=\"C\""),
      "line 4: 'C' is not the next thread, B: they are main, if it calls anything, A, B, ...");
}

TEST(Observations, WhatIsOpenedIsClosedAndNothingElseIsThere) {
  EXPECT_EQ(refusal("</observationset>", ""), "line 1: <observationset> has no end");
  const std::string& file = counter_file();
  EXPECT_EQ(ReadFile(file.substr(0, file.find("  </observation>")), kTest).error,
            "line 2: <observation> has no end");
  EXPECT_EQ(refusal("  </observation>\n", ""),
            "line 9: <observation> is not expected here, but <thread>, <op>, <history> or "
            "</observation>");
  EXPECT_EQ(refusal("</history>", ""), "line 8: <history> has no end");
  EXPECT_EQ(refusal("<history>", "<histroy>"),
            "line 8: <histroy> is not expected here, but <thread>, <op>, <history> or "
            "</observation>");
  EXPECT_EQ(refusal("    <history>", "  then <history>"),
            "line 8: 'then' is not expected here, but <thread>, <op>, <history> or </observation>");
  EXPECT_EQ(refusal("name=\"inc\" />", "name=\"inc />"), "line 5: a tag has no end");
  EXPECT_EQ(refusal("name=\"inc\"", "nmae=\"inc\""),
            "line 5: 'nmae=\"inc\"' is not expected here, but once each id=\"...\" and "
            "name=\"...\"");
  EXPECT_EQ(ReadFile(file + file, kTest).error,
            "line 20: <observationset> is not expected here, but the end of the file");
  EXPECT_EQ(ReadFile("", kTest).error, "line 1: this is not an <observationset>");
}

TEST(Observations, MainIsAloneBeforeAndAfterTheOthers) {
  const std::string test = "pre inc; dec | get; post get";
  const std::string file = file_of(test);
  EXPECT_EQ(ReadFile(file, test).error, "");
  EXPECT_EQ(ReadFile(edited(file, "1[ ]1 3[ ]3", "3[ ]3 1[ ]1"), test).error,
            "line 10: main is alone: what it calls comes before all others, or after them");
}

TEST(Observations, OfAnotherTestAreNone) {
  for (const char* other :
       {"inc, get | get, get", "inc | get", "inc, get", "inc, get | get | get", "get | inc, get",
        "pre inc; inc, get | get", "inc, get | get; post get"}) {
    const ReadFile read(counter_file(), other);
    EXPECT_EQ(read.error, "") << other;
    EXPECT_EQ(read.histories(), 0u) << other;
  }
  // dec() blocks at the beginning of all of these.
  for (const char* other : {"dec | inc, get", "dec, get | inc", "dec | inc | get"}) {
    const ReadFile read(file_of(kBlocking), other);
    EXPECT_EQ(read.error, "") << other;
    EXPECT_EQ(read.histories(), 0u) << other;
  }
}

TEST(Observations, OfSeveralTestsEachReadsItsOwn) {
  const std::string both =
      edited(counter_file(), "</observationset>\n",
             file_of(kBlocking).substr(std::string("<observationset>\n").size()));
  EXPECT_EQ(ReadFile(both, kTest).serial.full().size(), 3u);
  EXPECT_EQ(ReadFile(both, kTest).serial.stuck().size(), 0u);
  EXPECT_EQ(ReadFile(both, kBlocking).serial.full().size(), 1u);
  EXPECT_EQ(ReadFile(both, kBlocking).serial.stuck().size(), 1u);
}

TEST(Observations, OfATestThatAlwaysBlocksAreRead) {
  const ReadFile read(file_of("dec | dec"), "dec | dec");
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.serial.stuck().size(), 2u);
}

TEST(Observations, MayBeWrittenAsXmlAllows) {
  std::string file = "\xef\xbb\xbf<?xml version=\"1.0\"?>\n<!-- <frozen> -->\n" + counter_file();
  file = edited(file, "id=\"1\" name=\"inc\" />", "name='inc' id='1'></op>");
  file = edited(file, "result=\"0\"", " result='&#x30;' ");
  for (std::size_t at = 0; (at = file.find('\n', at)) != file.npos; at += 2) file.insert(at, "\r");
  const ReadFile read(file, kTest);
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.serial.full(), ReadFile(counter_file(), kTest).serial.full());
}

// Who may call what comes next, as the threads of a test do.
class Walk {
 public:
  explicit Walk(const Matrix& test)
      : initial_(test.initial.size()), threads_(test.columns.size() + 1) {
    const std::vector<Cell> all = cells(test);
    for (std::size_t cell = 0; cell < all.size(); ++cell)
      threads_[static_cast<std::size_t>(all[cell].thread)].push_back(static_cast<int>(cell));
  }
  std::vector<int> possible() const {
    std::vector<int> cells;
    for (std::size_t t = 1; t < threads_.size(); ++t) {
      if (!threads_[t].empty()) cells.push_back(threads_[t].front());
    }
    const bool is_turn_of_main = called_ < initial_ || cells.empty();
    if (!is_turn_of_main) return cells;
    return threads_[0].empty() ? std::vector<int>() : std::vector{threads_[0].front()};
  }
  void call(int cell) {
    ++called_;
    for (auto& thread : threads_) std::erase(thread, cell);
  }

 private:
  std::size_t initial_, called_ = 0;
  std::vector<std::vector<int>> threads_;
};

// Why a history is none of the test; nothing: it is one.
std::string why_not(const SerialHistory& history, const Matrix& test) {
  Walk walk(test);
  for (std::size_t i = 0; i < history.size(); ++i) {
    if (std::ranges::count(walk.possible(), history[i].operation) != 1)
      return "step " + std::to_string(i) + " is not possible";
    if (history[i].stuck) return i + 1 == history.size() ? "" : "something follows a blocked call";
    walk.call(history[i].operation);
  }
  return walk.possible().empty() ? "" : "something is missing";
}

// Deletes, repeats or replaces a few bytes or words.
std::string damaged(std::string xml, Random& random) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  const auto piece = [&] {  // a word, what is between two, or anything
    auto begin = static_cast<std::size_t>(draw(random, static_cast<int>(xml.size())));
    std::size_t end = begin + 1;
    if (draw(random, 4) == 0) {
      end = std::min(xml.size(), begin + static_cast<std::size_t>(1 + draw(random, 60)));
    } else {
      const bool kind = is_word(xml[begin]);
      while (begin > 0 && is_word(xml[begin - 1]) == kind) --begin;
      while (end < xml.size() && is_word(xml[end]) == kind) ++end;
    }
    return std::pair(begin, end - begin);
  };
  for (int n = 1 + draw(random, 3); n > 0 && !xml.empty(); --n) {
    const auto [at, length] = piece();
    const auto [from, size] = piece();
    const std::string other = xml.substr(from, size);
    switch (draw(random, 5)) {
      case 0: xml.erase(at, length); break;
      case 1: xml.insert(at, xml.substr(at, length)); break;
      case 2: xml.replace(at, length, other); break;
      case 3: xml.insert(at, other); break;
      default:
        xml[at] = static_cast<char>(draw(random, 3) == 0 ? draw(random, 256)
                                                         : "#[]B<>/&;\"'=1234"[draw(random, 16)]);
    }
  }
  return xml;
}

TEST(Observations, DamagedAtRandomAreRefusedOrHistoriesOfTheTest) {
  Simulated runner = blocking_counter();
  const Matrix test = runner.test("pre inc; dec, add(5) | dec; post get");
  const std::string xml = to_xml(test, runner.object(), serial_of(runner, test), runner.results());
  Random random(seed());
  std::uint64_t refused = 0, read = 0;
  Draws draws(20'000);
  draws.until("refused", refused, 10'000).until("read", read, 100);
  for ([[maybe_unused]] const std::uint64_t i : draws) {
    const std::string file = damaged(xml, random);
    SerialHistories serial;
    const std::string error = from_xml(file, test, runner.object(), runner.results(), serial);
    const std::size_t histories = serial.full().size() + serial.stuck().size();
    if (error.empty()) {
      read += histories > 0;
      for (const auto* all : {&serial.full(), &serial.stuck()}) {
        for (const SerialHistory& history : *all) ASSERT_EQ(why_not(history, test), "") << file;
      }
    } else {
      ++refused;
      ASSERT_EQ(histories, 0u) << file;
      ASSERT_THAT(error, StartsWith("line "));
      char* end = nullptr;
      const long line = std::strtol(error.c_str() + 5, &end, 10);
      ASSERT_GE(line, 1) << error;
      ASSERT_LE(line, 1 + std::ranges::count(file, '\n')) << error;
      ASSERT_THAT(end, StartsWith(": "));
    }
  }
  EXPECT_EQ(draws.lacks(), "");
}

std::string random_text(Random& random) {
  static const std::vector<std::string> pieces = {"200",
                                                  "Fail",
                                                  "\"",
                                                  "'",
                                                  "<",
                                                  ">",
                                                  "&",
                                                  "&lt;",
                                                  "&#10;",
                                                  "\n",
                                                  "\r",
                                                  "\t",
                                                  "\x01",
                                                  "\x7f",
                                                  "é",
                                                  "\xc3",
                                                  "\xff",
                                                  "\xed\xa0\x80",
                                                  "😀",
                                                  " ",
                                                  ")",
                                                  "]]>",
                                                  "\\x",
                                                  "</op>",
                                                  "\xee\xbc\x81",
                                                  "\xef\xbf\xbf",
                                                  std::string(1, '\0')};
  std::string text;
  for (int n = draw(random, 4); n > 0; --n) {
    if (draw(random, 4) == 0) text += static_cast<char>(draw(random, 256));
    else text += pieces[static_cast<std::size_t>(draw(random, static_cast<int>(pieces.size())))];
  }
  return text;
}

TEST(Observations, AreReadBackWhateverIsInThem) {
  Random random(seed());
  for (int i = 0; i < 1000; ++i) {
    Object object{"Random", {}};
    for (const char* method : {"push", "pop", "a<b & \"c\""})
      object.invocations.push_back({method, std::string(method) + "(" + random_text(random) + ")"});
    Matrix test;
    const auto fill = [&](Column& column, int least) {
      for (int n = least + draw(random, 3); n > 0; --n) column.push_back(draw(random, 3));
    };
    fill(test.initial, 0);
    test.columns.resize(static_cast<std::size_t>(1 + draw(random, 3)));
    for (Column& column : test.columns) fill(column, 1);
    fill(test.final, 0);

    Results results;
    SerialHistories serial;
    for (int n = 1 + draw(random, 6); n > 0; --n) {
      SerialHistory history;
      Walk walk(test);
      for (auto next = walk.possible(); !next.empty(); next = walk.possible()) {
        const int cell =
            next[static_cast<std::size_t>(draw(random, static_cast<int>(next.size())))];
        walk.call(cell);
        const bool blocks = draw(random, 12) == 0;
        history.push_back({cell, blocks ? 0 : results.number(random_text(random)), blocks});
        if (blocks) break;
      }
      serial.add(history);
    }
    const std::string xml = to_xml(test, object, serial, results);
    EXPECT_EQ(text::sanitized(xml), xml);  // so that XML can say it
    SerialHistories read;
    ASSERT_EQ(from_xml(xml, test, object, results, read), "") << xml;
    EXPECT_EQ(to_xml(test, object, read, results), xml);
    EXPECT_EQ(read.stuck(), serial.stuck()) << xml;
    EXPECT_TRUE(std::ranges::is_permutation(read.full(), serial.full())) << xml;  // rare ones first
  }
}

TEST(Observations, OrdinaryTextIsWrittenAsItIs) {
  EXPECT_EQ(xml_text("it's (1, 2) → größer 😀"), "it's (1, 2) → größer 😀");
  EXPECT_EQ(xml_text("a<b & \"c\">\n"), "a&lt;b &amp; &quot;c&quot;&gt;&#10;");
  EXPECT_EQ(xml_text("\x01\xff"), "&#xEF01;&#xEFFF;");
}

}  // namespace
}  // namespace plumb::lineup
