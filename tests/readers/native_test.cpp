// SPDX-License-Identifier: MIT
#include "readers/read.hpp"

namespace plumb {
namespace {

TEST(Native, EventsInRealTimeOrder) {
  const History h = read(R"({"history":1,"object":"queue"}
{"type":"call","process":3,"op":"enq","args":[7]}
{"type":"call","process":1,"op":"deq","args":[]}
{"type":"return","process":3,"result":null}
{"type":"return","process":1,"result":7}
{"type":"call","process":1,"op":"deq"}
)");
  EXPECT_EQ(events(h), "3:enq(7) 1:deq() 3=null 1=7 1:deq()");
  EXPECT_EQ(specification(h), "queue");
  EXPECT_EQ(unreturned(h), "deq() pending");
  EXPECT_EQ(h.line, (std::vector<std::uint32_t>{2, 3, 6}));
  EXPECT_EQ(h.return_line, (std::vector<std::uint32_t>{4, 5, 0}));
}

TEST(Native, OperationsWithClockValues) {
  const History h = read(R"({"process":3,"op":"enq","args":[7],"result":null,"call":12,"return":17}
{"process":4,"op":"deq","args":[],"result":7,"call":12.5,"return":17.25}
{"process":5,"op":"deq","args":[],"call":20,"return":null}
{"process":6,"op":"deq","args":[],"call":21}
{"process":7,"op":"deq","args":[],"call":22,"crash":true}
)");
  EXPECT_EQ(events(h), "3:enq(7) 4:deq() 3=null 4=7 5:deq() 6:deq() 7:deq()");
  EXPECT_EQ(unreturned(h), "deq() pending, deq() pending, deq() crashed");
}

TEST(Native, OneObjectIsTheUnnamedOneAndOthersHaveNames) {
  const History h = read(R"({"history":1,"object":"queue","initial":[1],)"
                         R"("objects":{"s":"stack","r":{"object":"register","initial":4}}}
{"type":"call","process":1,"op":"deq"}
{"type":"call","process":2,"op":"push","args":[1],"object":"s"}
{"type":"call","process":3,"op":"enq","args":[1],"object":5}
)");
  EXPECT_EQ(events(h), R"(1:deq() 2:"s".push(1) 3:5.enq(1))");
  ASSERT_EQ(h.objects.size(), 4u);
  EXPECT_EQ(h.objects[0].specification, "queue");
  EXPECT_EQ(h.objects[1].specification, "stack");
  EXPECT_EQ(h.objects[2].initial, Value::integer(4));
  EXPECT_EQ(h.objects[3].specification, "queue");
}

TEST(Native, AnObjectWhoseNameIsNoStringStandsInAList) {
  const History h = read(R"({"history":1,"objects":[{"name":5,"object":"queue"}]}
{"type":"call","process":3,"op":"enq","args":[1],"object":5}
)");
  ASSERT_EQ(h.objects.size(), 1u);
  EXPECT_EQ(h.objects[0].name, Value::integer(5));
  EXPECT_EQ(h.objects[0].specification, "queue");
}

TEST(Native, AKeyIsTheFirstArgument) {
  EXPECT_EQ(events(read(R"({"type":"call","process":1,"op":"put","key":"k","args":[1]})")),
            R"(1:put("k",1))");
}

TEST(Native, CrashStuckAndNotes) {
  const History h = read(R"({"type":"note","text":"start"}
{"type":"call","process":1,"op":"deq"}
{"type":"crash","process":1}
{"type":"call","process":2,"op":"deq"}
  {"type":"note","text":"partition"}
{"type":"stuck"})");
  EXPECT_EQ(unreturned(h), "deq() crashed, deq() pending");
  EXPECT_TRUE(h.stuck);
  ASSERT_EQ(h.notes.size(), 2u);
  EXPECT_EQ(h.notes[0].position, 0u);
  EXPECT_EQ(h.notes[1].position, 2u);
  EXPECT_EQ(h.notes[1].text, R"({"type":"note","text":"partition"})");
}

TEST(Native, AProcessMayHaveAnyName) {
  EXPECT_EQ(events(read(R"({"type":"call","process":"n1","op":"a"}
{"type":"call","process":-4,"op":"a"}
{"type":"call","process":100000000000,"op":"a"}
{"type":"return","process":"n1"})")),
            R"("n1":a() -4:a() 100000000000:a() "n1"=null)");
}

TEST(Native, ValuesOfEveryKind) {
  const History h =
      read(R"({"type":"call","process":1,"op":"f","args":[null,true,-9223372036854775808,1.0,)"
           R"("x\u0041\n",[1,[2]],{"b":1,"a":{"d":[],"c":2}}]})");
  EXPECT_EQ(events(h),
            R"(1:f(null,true,-9223372036854775808,1.0,"xA\n",[1,[2]],{"a":{"c":2,"d":[]},"b":1}))");
}

TEST(Native, ObjectsThatDifferInTheOrderOfTheirKeysAreEqualValues) {
  const History h = read(R"({"type":"call","process":1,"op":"f","args":[{"a":1,"b":2}]}
{"type":"call","process":2,"op":"f","args":[{ "b": 2, "a": 1 }]})");
  EXPECT_EQ(h.calls.size(), 1u);
}

TEST(Native, UnknownFieldsAreIgnored) {
  EXPECT_EQ(events(read(R"({"order":1,"type":"call","process":1,"op":"f","x":{"y":[1]}})")),
            "1:f()");
}

TEST(Native, BlankLinesCarriageReturnsAndAByteOrderMarkAreNothing) {
  const History h = read(
      "\xef\xbb\xbf{\"type\":\"call\",\"process\":1,\"op\":\"f\"}\r\n\r\n  \n"
      "{\"type\":\"return\",\"process\":1}\r\n");
  EXPECT_EQ(events(h), "1:f() 1=null");
  EXPECT_EQ(h.return_line[0], 4u);
}

TEST(Native, ManyLinesInSeveralBlocks) {
  std::string text;
  for (int i = 0; i < 20000; ++i)
    text += R"({"type":"call","process":1,"op":"write","args":[)" + std::to_string(i % 10) +
            "]}\n{\"type\":\"return\",\"process\":1}\n";
  const History h = read(text);
  EXPECT_EQ(h.size(), 20000u);
  EXPECT_EQ(h.return_line.back(), 40000u);
}

struct Bad {
  const char* text;
  const char* error;
};

class NativeRefuses : public testing::TestWithParam<Bad> {};

TEST_P(NativeRefuses, WithTheLine) {
  const std::string text = std::string("{\"history\":1}\n") + GetParam().text;
  EXPECT_EQ(error_of(text), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Lines, NativeRefuses,
    testing::Values(
        Bad{R"({"type":"return","process":1})", "2: process 1 returns without a call"},
        Bad{R"({"type":"call","process":1,"op":"a"}
{"type":"call","process":1,"op":"b"})",
            "3: process 1 calls b before its a() of line 2 returned"},
        Bad{R"({"type":"call","process":1,"op":"a"}
{"type":"crash","process":1}
{"type":"call","process":1,"op":"b"})",
            "4: process 1 calls b after it crashed"},
        Bad{R"({"type":"call","process":1,"op":"a"}
{"process":1,"op":"a","call":1,"return":2})",
            "3: events in real-time order and operations with clock values in one history"},
        Bad{R"({"type":"stuck"}
{"type":"call","process":1,"op":"a"})",
            "3: an event after \"stuck\""},
        Bad{R"({"type":"Call","process":1,"op":"a"})", "2: unknown \"type\""},
        Bad{R"({"type":7,"process":1,"op":"a"})", "2: unknown \"type\""},
        Bad{R"({"type":"call","op":"a"})", "2: no \"process\""},
        Bad{R"({"type":"call","process":1})", "2: no \"op\""},
        Bad{R"({"type":"call","process":1,"op":7})", "2: no \"op\""},
        Bad{R"({"type":"call","process":1,"op":"a","args":7})", "2: \"args\" is not an array"},
        Bad{R"({"type":"call","process":1,"op":"a","args":[18446744073709551615]})",
            "2: an integer of more than 64 bits"},
        Bad{R"({"type":"call","process":1,"op":"a","args":[1,]})", "2: not a JSON object"},
        Bad{R"({"type":"call","process":1,"op":"a","x":tru})", "2: not a JSON object"},
        Bad{R"({"type":"call","process":1,"op":"a"} x)", "2: not a JSON object"},
        Bad{R"({"type":"call","process":1,"op":"a)", "2: a string without its closing quote"},
        Bad{"{\"type\":\"call\",\"process\":1,\"op\":\"\xff\"}", "2: the text is not valid UTF-8"},
        Bad{R"([1])", "2: not a JSON object"},
        Bad{R"({"history":1})", "2: a header that is not the first line"},
        Bad{R"({"op":"a","process":1})",
            "2: neither an event (\"type\"), nor an operation (\"call\"), nor a header"},
        Bad{R"({"op":"a","process":1,"call":5,"return":4})",
            "2: a() returns at 4, before its call at 5"},
        Bad{R"({"op":"a","process":1,"call":"5"})", "2: \"call\" is not a number of up to 64 bits"},
        Bad{R"({"op":"a","process":1,"call":null})", "2: \"call\" is null"},
        Bad{R"({"op":"a","process":1,"call":1,"return":2,"crash":true})",
            "2: an operation that both crashed and returned"}));

TEST(Native, AHeaderOfAnotherVersionIsRefused) {
  EXPECT_EQ(error_of(R"({"history":2,"object":"queue"})"), "1: \"history\" has an unknown version");
}

TEST(Native, AHeaderSaysWhatTheObjectsAre) {
  EXPECT_EQ(error_of(R"({"history":1,"object":7})"),
            "1: a header that does not say what the objects are");
  EXPECT_EQ(error_of(R"({"history":1,"objects":[{"object":"queue"}]})"),
            "1: a header that does not say what the objects are");
}

TEST(Native, AClockSkewNeedsTimesOnEveryEvent) {
  const char* text = R"({"type":"call","process":1,"op":"a","time":1}
{"type":"return","process":1,"time":2}
{"type":"call","process":2,"op":"b","time":4}
{"type":"return","process":2,"time":6})";
  EXPECT_EQ(events(read(text)), "1:a() 1=null 2:b() 2=null");
  EXPECT_EQ(events(read(text, {.clock_skew = ClockTime{1, 0}})), "1:a() 2:b() 1=null 2=null");
  EXPECT_EQ(error_of(R"({"type":"call","process":1,"op":"a","time":1}
{"type":"return","process":1})",
                     {.clock_skew = ClockTime{1, 0}}),
            "2: a clock skew was given, but this event has no time");
}

TEST(Native, ClocksAreReadExactly) {
  const auto order = [](const char* returned, const char* called) {
    return events(read(std::string(R"({"process":1,"op":"a","call":0,"return":)") + returned +
                       "}\n" + R"({"process":2,"op":"b","call":)" + called + R"(,"return":1e18})"));
  };
  const char *apart = "1:a() 1=null 2:b() 2=null", *overlap = "1:a() 2:b() 1=null 2=null";
  EXPECT_EQ(order("1700000000.000000002", "1700000000.000000003"), apart);
  EXPECT_EQ(order("1700000000.000000003", "1700000000.000000003"), overlap);
  EXPECT_EQ(order("0.1", "0.100000000000000001"), apart);
  EXPECT_EQ(order("1.5e3", "1500"), overlap);
  EXPECT_EQ(order("9007199254740992.5", "9007199254740993.25"), apart);
  EXPECT_EQ(error_of(R"({"process":1,"op":"a","call":0.1234567890123456789,"return":2})"),
            "1: \"call\" is not a number of up to 64 bits");
}

TEST(Native, NegativeClocksKeepTheirOrder) {
  EXPECT_EQ(events(read(R"({"process":1,"op":"a","call":-3.5,"return":-2.75}
{"process":2,"op":"b","call":-2.5,"return":-0.5})")),
            "1:a() 1=null 2:b() 2=null");
}

TEST(Native, AKeyThatAnObjectHasTwiceIsAnError) {
  EXPECT_EQ(error_of("{\"type\":\"call\",\"process\":1,\"op\":\"a\"}\n"
                     "{\"type\":\"return\",\"process\":1,\"result\":1,\"result\":2}"),
            "2: the key \"result\" twice in one object");
  EXPECT_EQ(error_of(R"({"type":"call","process":1,"op":"a","args":[{"x":1,"x":2}]})"),
            "1: the key \"x\" twice in one object");
  EXPECT_EQ(error_of(R"({"process":0,"type":"invoke","f":"write","value":1,"value":2})"),
            "1: the key \"value\" twice in one object");
  EXPECT_EQ(error_of(R"({"history":1,"objects":{"q":"queue","q":"stack"}})"),
            "1: the key \"q\" twice in one object");
}

}  // namespace
}  // namespace plumb
