// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "readers/read.hpp"

namespace plumb {
namespace {

using testing::ElementsAre;

TEST(Jepsen, AReadIsFilledByItsOk) {
  const History h = read(R"({:process 0, :type :invoke, :f :read, :value nil}
{:process 1, :type :invoke, :f :write, :value 3}
{:process 1, :type :ok, :f :write, :value 3}
{:process 0, :type :ok, :f :read, :value 3}
)");
  EXPECT_EQ(events(h), "0:read() 1:write(3) 1=null 0=3");
  EXPECT_EQ(specification(h), "register initially null");
  EXPECT_EQ(h.return_line, (std::vector<std::uint32_t>{4, 3}));
}

TEST(Jepsen, OneVectorOrListWithTagsCommentsAndDroppedForms) {
  const char* events_text = R"(; a comment
  #jepsen.history.Op{:index 0, :time 5, :process 0 :type :invoke :f :write :value 1, :extra {:a 1}}
  #_{:process 9 :type :invoke :f :write}
  {:process 0, :type :ok, :f :write, :value #_ 7 1} ; another
)";
  for (const char* brackets : {"[]", "()"}) {
    const std::string text = brackets[0] + std::string(events_text) + brackets[1];
    EXPECT_EQ(events(read(text)), "0:write(1) 0=null");
  }
}

TEST(Jepsen, AFailedOperationDidNotHappen) {
  EXPECT_EQ(events(read(R"({:process 0, :type :invoke, :f :write, :value 1}
{:process 0, :type :fail, :f :write, :value 1}
{:process 0, :type :invoke, :f :read, :value nil}
{:process 0, :type :ok, :f :read, :value 3})")),
            "0:read() 0=3");
}

TEST(Jepsen, AnOkReadOfNilFromARegisterSaysNothingAsInKnossos) {
  const char* text = R"({:process 0, :type :invoke, :f :write, :value 1}
{:process 0, :type :ok, :f :write, :value 1}
{:process 0, :type :invoke, :f :read, :value nil}
{:process 0, :type :ok, :f :read, :value nil})";
  const History h = read(text);
  EXPECT_EQ(events(h), "0:write(1) 0=null");
  EXPECT_THAT(h.readings, ElementsAre("1 read of nil is left out, as by Knossos: it says nothing"));
  EXPECT_EQ(events(read("INFO jepsen.util - 0 :invoke :write 1\n"
                        "INFO jepsen.util - 0 :ok :write 1\n"
                        "INFO jepsen.util - 0 :invoke :read nil\n"
                        "INFO jepsen.util - 0 :ok :read nil\n")),
            "0:write(1) 0=null 0:read() 0=null");
}

TEST(Jepsen, AFailedCasDidNotHappenButInTheTextLogItCompared) {
  const History edn = read(R"({:process 0, :type :invoke, :f :cas, :value [1 2]}
{:process 0, :type :fail, :f :cas, :value [1 2]})");
  EXPECT_EQ(events(edn), "");
  ASSERT_TRUE(edn.other_reading);
  EXPECT_EQ(events(*edn.other_reading), "0:cas(1,2) 0=false");
  EXPECT_THAT(edn.readings, ElementsAre("1 failed cas did not happen (--failed-cas absent)"));
  const History log = read(
      "INFO jepsen.util - 0 :invoke :cas [1 2]\n"
      "INFO jepsen.util - 0 :fail :cas [1 2]\n");
  EXPECT_EQ(events(log), "0:cas(1,2) 0=false");
  ASSERT_TRUE(log.other_reading);
  EXPECT_EQ(events(*log.other_reading), "");
}

TEST(Jepsen, AFailedCasIsAComparisonThatFailedUnlessToldOtherwise) {
  const char* text = R"({:process 0, :type :invoke, :f :cas, :value [1 2]}
{:process 0, :type :fail, :f :cas, :value [1 2]}
{:process 0, :type :invoke, :f :cas, :value [3 4]}
{:process 0, :type :ok, :f :cas, :value [3 4]})";
  EXPECT_EQ(events(read(text, {.failed_cas = ReadOptions::mismatch})),
            "0:cas(1,2) 0=false 0:cas(3,4) 0=true");
  EXPECT_EQ(events(read(text, {.failed_cas = ReadOptions::absent})), "0:cas(3,4) 0=true");
}

TEST(Jepsen, AFailedCasWithAnErrorIsNoComparison) {
  EXPECT_EQ(events(read(R"({:process 0, :type :invoke, :f :cas, :value [1 2]}
{:process 0, :type :fail, :f :cas, :value [1 2], :error :connection-refused}
{:process 0, :type :invoke, :f :cas, :value [1 2]}
{:process 0, :type :fail, :f :cas, :value :timed-out}
{:process 0, :type :invoke, :f :read, :value nil})")),
            "0:read()");
}

TEST(Jepsen, WhatIsUnknownStaysPendingAndTheProcessMayComeBack) {
  const History h = read(R"({:process 0, :type :invoke, :f :write, :value 1}
{:process 0, :type :info, :f :write, :value 1}
{:process 0, :type :invoke, :f :write, :value 2}
{:process 0, :type :ok, :f :write, :value 2}
{:process 5, :type :invoke, :f :write, :value 3})");
  EXPECT_EQ(events(h), R"(0:write(1) "0#2":write(2) "0#2"=null 5:write(3))");
  EXPECT_EQ(unreturned(h), "write(1) crashed, write(3) pending");
}

TEST(Jepsen, ProcessesThatAreNoClientsBecomeNotes) {
  const History h = read(R"({:process 0, :type :invoke, :f :read, :value nil}
{:process :nemesis, :type :info, :f :start, :value "cut \"off\""}
{:process 0, :type :ok, :f :read, :value 1})");
  EXPECT_EQ(h.size(), 1u);
  ASSERT_EQ(h.notes.size(), 1u);
  EXPECT_EQ(h.notes[0].position, 1u);
  EXPECT_EQ(h.notes[0].text, R"({"type":"note","process":"nemesis","event":"info","f":"start",)"
                             R"("value":"cut \"off\""})");
}

TEST(Jepsen, AKeyMakesItAMapWhoseAbsentKeysAreEmptyStrings) {
  const History h = read(R"({:process 0, :type :invoke, :f :append, :key "a", :value "x"}
{:process 0, :type :ok, :f :append, :key "a", :value "x"}
{:process 0, :type :invoke, :f :get, :key "a", :value nil}
{:process 0, :type :ok, :f :get, :key "a", :value "x"}
{:process 0, :type :invoke, :f :put, :key "b", :value "y"})");
  EXPECT_EQ(events(h), R"(0:append("a","x") 0=null 0:get("a") 0="x" 0:put("b","y"))");
  EXPECT_EQ(specification(h), R"(map initially "")");
}

TEST(Jepsen, IndependentTuplesAreObjectsOfTheirOwn) {
  const History h = read(R"({:process 0, :type :invoke, :f :write, :value [7 1]}
{:process 0, :type :ok, :f :write, :value [7 1]}
{:process 0, :type :invoke, :f :read, :value [8 nil]}
{:process 0, :type :ok, :f :read, :value [8 3]}
{:process 0, :type :invoke, :f :cas, :value [8 [1 2]]}
{:process 0, :type :fail, :f :cas, :value [8 [1 2]]})",
                         {.failed_cas = ReadOptions::mismatch});
  EXPECT_EQ(events(h), "0:7.write(1) 0=null 0:8.read() 0=3 0:8.cas(1,2) 0=false");
  for (const Object& o : h.objects) {
    EXPECT_EQ(o.specification, "register");
    EXPECT_EQ(o.initial, Value::nil());
  }
}

TEST(Jepsen, PairsAloneAreNoTuples) {
  EXPECT_EQ(events(read(R"({:process 0, :type :invoke, :f :cas, :value [1 2]})")), "0:cas(1,2)");
  EXPECT_EQ(events(read(R"({:process 0, :type :invoke, :f :write, :value [1 2]}
{:process 0, :type :ok, :f :write, :value [1 2]}
{:process 0, :type :invoke, :f :read, :value nil}
{:process 0, :type :ok, :f :read, :value [1 2]})")),
            "0:write([1,2]) 0=null 0:read() 0=[1,2]");
}

TEST(Jepsen, TuplesOfAMapAreItsKeys) {
  const History h = read(R"({:process 0, :type :invoke, :f :put, :value [:a 1]}
{:process 0, :type :ok, :f :put, :value [:a 1]}
{:process 0, :type :invoke, :f :get, :value [:a nil]}
{:process 0, :type :ok, :f :get, :value [:a 1]})");
  EXPECT_EQ(events(h), R"(0:put("a",1) 0=null 0:get("a") 0=1)");
  EXPECT_EQ(specification(h), "map initially null");
}

std::string guessed(std::string_view f, std::string_view value, std::string_view g,
                    std::string_view ok) {
  std::string text;
  const auto add = [&](std::string_view type, std::string_view method, std::string_view v) {
    text += "{:process 0 :type ";
    (((((text += type) += " :f ") += method) += " :value ") += v) += "}\n";
  };
  add(":invoke", f, value);
  add(":ok", f, value);
  add(":invoke", g, "nil");
  add(":ok", g, ok);
  return specification(read(text));
}

TEST(Jepsen, TheMethodsShowTheObject) {
  EXPECT_EQ(guessed(":enqueue", "1", ":dequeue", "1"), "queue");
  EXPECT_EQ(guessed(":push", "1", ":pop", "1"), "stack");
  EXPECT_EQ(guessed(":acquire", "nil", ":release", "nil"), "mutex");
  EXPECT_EQ(guessed(":add", "1", ":read", "#{1}"), "set");
  EXPECT_EQ(guessed(":add", "1", ":read", "1"), "counter");
  EXPECT_EQ(guessed(":txn", "[[:w 1 2]]", ":txn", "[[:r 1 2]]"), "multi-register");
  EXPECT_EQ(guessed(":txn", "[[:append 1 2]]", ":txn", "[[:r 1 [2]]]"), "");
  EXPECT_EQ(guessed(":shuffle", "1", ":deal", "1"), "");
}

TEST(Jepsen, TheUserKnowsTheObjectBetter) {
  EXPECT_EQ(
      specification(read("{:process 0 :type :invoke :f :shuffle}", {.specification = "deck"})),
      "deck");
}

TEST(Jepsen, ATransactionIsArgumentAndResult) {
  EXPECT_EQ(events(read(R"({:process 0 :type :invoke :f :txn :value [[:r 1 nil] [:w 2 3]]}
{:process 0 :type :ok :f :txn :value [[:r 1 9] [:w 2 3]]})")),
            R"(0:txn([["r",1,null],["w",2,3]]) 0=[["r",1,9],["w",2,3]])");
}

TEST(Jepsen, ValuesInEdn) {
  EXPECT_EQ(events(read(R"({:process 0 :type :invoke :f :f
  :value [nil true false -7 +8 9N 1.5 2M "a\"\u00e9\n" :k/w sym \c 1/2 (1 2) #{3 1 2} ##Inf
          #inst "2024" {:b 1, :a [2]} {1 2}]})")),
            R"x(0:f([null,true,false,-7,8,9,1.5,2.0,"a\"é\n","k/w","sym","c","1/2",[1,2],)x"
            R"x([1,2,3],"Inf","2024",{"a":[2],"b":1},{"#map":[[1,2]]}]))x");
}

// A string may have brackets in it.
constexpr const char* kJsonArray = R"([
  {"process": 0, "type": "invoke", "f": "write", "value": 1, "time": 10},
  {"process": 0, "type": "ok",
   "f": "write", "value": 1, "time": 20},
  {"process": "nemesis", "type": "info", "f": "start", "value": "}]"}
])";
constexpr const char* kJsonLines = R"({"process":0,"type":":invoke","f":":write","value":1}
{"process":0,"type":":ok","f":":write","value":1})";

TEST(Jepsen, JsonIsTheSameEvents) {
  EXPECT_EQ(events(read(kJsonArray)), "0:write(1) 0=null");
  EXPECT_EQ(events(read(kJsonLines)), "0:write(1) 0=null");
  EXPECT_EQ(read(kJsonArray).return_line[0], 3u);
  EXPECT_EQ(specification(read(kJsonLines)), "register initially null");
}

TEST(Jepsen, TheTextLogHasOtherLoggersInIt) {
  const History h = read(
      "INFO  jepsen.core - Everything :ok here\n"
      "INFO  jepsen.util - 0\t:invoke\t:cas\t[1 2]\n"
      "2024-01-01 10:00:00,000 INFO jepsen.util - 1 :invoke :write 4\n"
      "INFO  jepsen.util - :nemesis\t:info\t:start\tnil\n"
      "INFO  jepsen.util - 2   :invoke :read   nil\n"
      "WARN  java.net - timed out\n"
      "INFO  jepsen.util - 0\t:fail\t:cas\t[1 2]\n"
      "INFO  jepsen.util - 1\t:info\t:write\t:timed-out\n"
      "INFO  jepsen.util - 2\t:fail\t:read\t:timed-out\n");
  EXPECT_EQ(events(h), "0:cas(1,2) 1:write(4) 0=false");
  EXPECT_EQ(unreturned(h), "write(4) crashed");
  EXPECT_EQ(h.line, (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(h.notes.size(), 1u);
  EXPECT_EQ(specification(h), "register initially null");
}

TEST(Jepsen, TheLogTellsAnErrorInItsLastColumn) {
  EXPECT_EQ(events(read("INFO  jepsen.util - 0\t:invoke\t:cas\t[1 2]\n"
                        "INFO  jepsen.util - 0\t:fail\t:cas\t[1 2]\t:refused\n")),
            "");
}

TEST(Jepsen, BadEventsAreRefusedWithTheirLine) {
  EXPECT_EQ(error_of("{:process 0 :type :ok :f :read}"), "1: process 0 returns without a call");
  EXPECT_EQ(error_of("{:process 0 :type :fail :f :read}"), "1: process 0 fails without a call");
  EXPECT_EQ(error_of("{:process 0 :type :invoke :f :read}\n{:process 0 :type :ok :f :write}"),
            "2: process 0 ends write, but has called read");
  EXPECT_EQ(error_of("{:process 0 :type :invoke :f :read}\n{:process 0 :type :invoke :f :read}"),
            "2: process 0 calls read before its read() of line 1 returned");
  EXPECT_EQ(error_of("{:process 0 :type :invoke :f :drain}"),
            "1: a drain is many operations in one event");
  EXPECT_EQ(error_of("{:process 0 :type :start :f :read}"), "1: unknown :type");
  EXPECT_EQ(error_of("{:process 0 :f :read}"), "1: an event without :process, :type or :f");
  EXPECT_EQ(error_of("{:process 0 :type :invoke}"), "1: an event without :process, :type or :f");
  EXPECT_EQ(error_of("{:process 0 :type :invoke :f \"\"}"),
            "1: an event without :process, :type or :f");
  EXPECT_EQ(error_of("{:process 0 :type :invoke :f :read :value}"),
            "1: a map with a key without a value");
  EXPECT_EQ(error_of("{:process 0 :type :invoke :f :read :value 99999999999999999999}"),
            "1: an integer of more than 64 bits");
  EXPECT_EQ(error_of("{:process 0 :type :invoke :f :read :value \"\xff\"}"),
            "1: the text is not valid UTF-8");
  EXPECT_EQ(error_of("{:process 0 :type :invoke :f :read :value \"abc"),
            "1: a string without its closing quote");
  EXPECT_EQ(error_of("[{:process 0 :type :invoke :f :read}"), "1: the list of events does not end");
  EXPECT_EQ(error_of("[{:process 0 :type :invoke :f :read}] 7"),
            "1: text after the end of the list of events");
  EXPECT_EQ(error_of("[7]", {.format = "edn"}), "1: an event is expected here");
  EXPECT_EQ(error_of("{:process 0 :type :invoke :f :read :value " + std::string(500, '[')),
            "1: forms that are nested more than 200 deep");
  EXPECT_EQ(error_of(R"([{"process":0,"type":"invoke","f":"read"})"),
            "1: the array of events does not end");
  EXPECT_EQ(error_of(R"([{"process":0,"type":"invoke","f":"read"} {)"), "1: not a JSON object");
  EXPECT_EQ(error_of(R"([{"process":0,"type":"invoke","f":"read"},])"), "1: not a JSON object");
  EXPECT_EQ(error_of("{\"process\":0,\"type\":\"invoke\",\n\"f\":7}"),
            "1: an event without \"process\", \"type\" or \"f\"");
}

TEST(Jepsen, AFormAboveTheLimitIsRefused) {
  const ReadOptions options{.line_limit = 1000};
  const std::string long_string(5000, 'x');
  EXPECT_EQ(error_of("{:process 0 :type :invoke :f :w :value \"" + long_string + "\"}", options),
            "1: a form of more than 1000 bytes");
  EXPECT_EQ(
      error_of(R"({"process":0,"type":"invoke","f":"w","value":")" + long_string + "\"}", options),
      "1: an object of more than 1000 bytes");
}

TEST(Jepsen, OneLongLineOfManyEventsIsNoLongForm) {
  std::string text = "[";
  for (int i = 0; i < 1000; ++i)
    text += "{:process 0 :type :invoke :f :read} {:process 0 :type :ok :f :read :value 1} ";
  EXPECT_EQ(read(text + "]", {.line_limit = 1000}).size(), 1000u);
}

}  // namespace
}  // namespace plumb
