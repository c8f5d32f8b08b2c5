// SPDX-License-Identifier: MIT
#include <algorithm>
#include <random>

#include "readers/read.hpp"

namespace plumb {
namespace {

/// Everything that decides, and everything that a reader keeps for people.
void expect_same(const History& a, const History& b) {
  EXPECT_EQ(events(a), events(b));
  EXPECT_EQ(unreturned(a), unreturned(b));
  EXPECT_EQ(a.after, b.after);
  EXPECT_EQ(a.stuck, b.stuck);
  EXPECT_EQ(a.call_time, b.call_time);
  EXPECT_EQ(a.return_time, b.return_time);
  const auto objects = [](const History& h) {
    std::vector<std::string> out;
    for (const Object& o : h.objects)
      out.push_back(o.name.to_string() + " " + o.specification + " " +
                    (o.initial ? o.initial->to_string() : "-"));
    std::sort(out.begin(), out.end());
    return out;
  };
  EXPECT_EQ(objects(a), objects(b));
}

void expect_same_notes(const History& a, const History& b) {
  ASSERT_EQ(a.notes.size(), b.notes.size());
  for (std::size_t i = 0; i < a.notes.size(); ++i) {
    EXPECT_EQ(a.notes[i].position, b.notes[i].position);
    EXPECT_EQ(a.notes[i].text, b.notes[i].text);
  }
}

/// What three processes do on two objects, with everything that a format may have to carry.
History random_history(std::mt19937& random, bool timed) {
  HistoryBuilder b;
  b.begin_object(Value::string("q"), "queue");
  b.begin_object(Value::integer(5), "register", Value::integer(1));
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const auto value = [&]() -> Value {
    switch (pick(7)) {
      case 0: return Value::nil();
      case 1: return Value::boolean(pick(2));
      case 2: return Value::integer(pick(1000) - 500);
      case 3: return Value::real(pick(100) / 8.0);
      case 4: return Value::string("s\"\\\n\x01" + std::to_string(pick(5)));
      case 5: return Value::list({Value::integer(pick(3)), Value::string("x")});
      default: return Value::opaque(R"({"a":[1,null],"a!":{"b":2.5}})");
    }
  };
  std::vector<bool> open(4), gone(4);
  for (int i = 0; i < 30; ++i) {
    const int p = pick(4);
    const ProcessId process = b.process(Value::integer(p));
    const ObjectId object = b.object(pick(2) ? Value::string("q") : Value::integer(5));
    const CallId call = b.intern_call(pick(2) ? "read" : "add", {});
    const CallId call1 = b.intern_call(pick(2) ? "write" : "add", {value()});
    if (timed) {
      const std::int64_t start = pick(100);
      std::optional<ClockTime> end;
      if (pick(8))
        end = ClockTime{start + pick(20),
                        pick(2) ? 500'000'000'000'000'000 : 750'000'000'000'000'000};
      EXPECT_TRUE(b.timed(process, object, pick(2) ? call : call1, value(),
                          {start, 250'000'000'000'000'000}, end,
                          pick(3) ? Fate::pending : Fate::crashed));
    } else if (gone[p]) {
      b.note(R"({"type":"note","n":)" + std::to_string(i) + "}");
    } else if (!open[p]) {
      EXPECT_TRUE(b.call(process, object, pick(2) ? call : call1));
      open[p] = true;
    } else if (pick(20) == 0) {
      EXPECT_TRUE(b.crashed(process));
      gone[p] = true;
    } else {
      EXPECT_TRUE(b.returned(process, value()));
      open[p] = false;
    }
  }
  if (pick(2)) { EXPECT_TRUE(b.stuck()); }
  Result<History> h = std::move(b).finish();
  EXPECT_TRUE(h.ok());
  return std::move(*h);
}

TEST(RoundTrip, NativeKeepsEverything) {
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    const History h = random_history(random, i % 2);
    const std::string text = write(h, "native");
    SCOPED_TRACE(text);
    const History again = read(text);
    expect_same(h, again);
    expect_same_notes(h, again);
    if (HasFailure()) break;
  }
}

TEST(RoundTrip, NativeKeepsTheOrderThatASkewMade) {
  const History h = read(R"({"type":"call","process":1,"op":"a","time":1}
{"type":"return","process":1,"time":2}
{"type":"call","process":2,"op":"b","time":4}
{"type":"return","process":2,"time":6})",
                         {.clock_skew = ClockTime{1, 0}});
  expect_same(h, read(write(h, "native")));
}

TEST(RoundTrip, NativeKeepsWhatASkewMadeOverlapInOneProcess) {
  const History h = read(R"({"process":1,"op":"a","call":1,"return":2}
{"process":1,"op":"b","call":3,"return":4}
{"process":2,"op":"c","call":5,"return":6})",
                         {.clock_skew = ClockTime{1, 0}});
  const History again = read(write(h, "native"));
  EXPECT_EQ(events(h), "1:a() 1:b() 1=null 2:c() 1=null 2=null");
  EXPECT_EQ(events(again), events(h));
  EXPECT_EQ(again.after, h.after);
  EXPECT_EQ(again.after_of(1), 0u);
}

TEST(RoundTrip, EdnKeepsWhatJepsenKnows) {
  const char* histories[] = {
      R"({"history":1,"object":"register","initial":3}
{"type":"call","process":1,"op":"cas","args":[1,2],"time":1}
{"type":"call","process":2,"op":"cas","args":[1,{"b":[1,2.5,null],"a":"x"}],"time":2}
{"type":"return","process":1,"result":true,"time":3}
{"type":"return","process":2,"result":false,"time":4}
{"type":"call","process":1,"op":"read","time":5.5}
{"type":"return","process":1,"result":"a\"b","time":6}
{"type":"call","process":1,"op":"write","args":[null],"time":7}
{"type":"crash","process":1}
{"type":"call","process":2,"op":"write","args":[4],"time":8})",
      R"({"history":1,"object":"set"}
{"type":"note","text":"before everything"}
{"type":"call","process":1,"op":"add","args":[1]}
{"type":"return","process":1,"result":true}
{"type":"call","process":1,"op":"add","args":[2]}
{"type":"return","process":1,"result":null})",
      R"({"history":1,"object":"map","initial":0}
{"type":"call","process":1,"op":"put","args":["k",[1,2]]}
{"type":"return","process":1}
{"type":"call","process":1,"op":"get","args":["k"]}
{"type":"return","process":1,"result":[1,2]}
{"type":"call","process":1,"op":"delete","args":["k"]})",
      R"({"history":1,"objects":[{"name":"q","object":"queue"},{"name":2,"object":"queue"}]}
{"type":"call","process":1,"object":"q","op":"enq","args":[1]}
{"type":"return","process":1}
{"type":"call","process":1,"object":2,"op":"deq"}
{"type":"return","process":1,"result":null})"};
  for (const char* text : histories) {
    const History h = read(text);
    const std::string edn = write(h, "edn");
    SCOPED_TRACE(edn);
    expect_same(h, read(edn));
  }
}

TEST(RoundTrip, EdnIsJepsens) {
  EXPECT_EQ(write(read(R"({"history":1,"object":"register"}
{"type":"call","process":1,"op":"write","args":[2]}
{"type":"note","text":"x"}
{"type":"call","process":2,"op":"read"}
{"type":"return","process":1}
{"type":"return","process":2,"result":2}
{"type":"call","process":2,"op":"cas","args":[2,3]}
{"type":"crash","process":2})"),
                  "edn"),
            R"(; {"history":1,"object":"register"}
{:process 1, :type :invoke, :f :write, :value 2}
; {"type":"note","text":"x"}
{:process 2, :type :invoke, :f :read, :value nil}
{:process 1, :type :ok, :f :write, :value 2}
{:process 2, :type :ok, :f :read, :value 2}
{:process 2, :type :invoke, :f :cas, :value [2 3]}
{:process 2, :type :info, :f :cas, :value [2 3]}
)");
}

TEST(RoundTrip, EdnNumbersProcessesThatHaveNames) {
  const History h = read(R"({"type":"call","process":"a","op":"write","args":[2]}
{"type":"call","process":7,"op":"read"})");
  EXPECT_EQ(events(read(write(h, "edn"))), "0:write(2) 1:read()");
}

TEST(RoundTrip, ViolinKeepsOperationsButNotProcesses) {
  const History h = read(R"({"history":1,"object":"queue"}
{"type":"call","process":4,"op":"enq","args":[1,"b",true]}
{"type":"return","process":4}
{"type":"call","process":4,"op":"deq"}
{"type":"return","process":4,"result":1})");
  const std::string text = write(h, "violin");
  EXPECT_EQ(text,
            "# @object queue\n[1] call enq(1,b,true)\n[1] return\n[2] call deq\n"
            "[2] return 1\n");
  EXPECT_EQ(events(read(text)), R"(1:enq(1,"b",true) 1=null 2:deq() 2=1)");
}

TEST(RoundTrip, WhatAFormatCanNotExpressIsNamed) {
  const auto refused = [](const char* text, const char* format) {
    return write(read(text), format);
  };
  const char* stuck = R"({"type":"call","process":1,"op":"a"}
{"type":"stuck"})";
  EXPECT_EQ(refused(stuck, "edn"), "error: EDN cannot express a stuck history");
  EXPECT_EQ(refused(stuck, "violin"), "error: Violin's form cannot express a stuck history");
  const char* overlap = R"({"process":1,"op":"a","call":1,"return":5}
{"process":1,"op":"a","call":2,"return":3})";
  EXPECT_EQ(refused(overlap, "edn"),
            "error: EDN cannot express operations of one process that overlap");
  const char* two = R"({"type":"call","process":1,"op":"f","args":[1,2]})";
  EXPECT_EQ(refused(two, "edn"), "error: EDN cannot express f(1,2) = ?");
  const char* echo = R"({"type":"call","process":1,"op":"f","args":[1]}
{"type":"return","process":1,"result":1})";
  EXPECT_EQ(refused(echo, "edn"), "error: EDN cannot express f(1) = 1");
  const char* method = R"({"type":"call","process":1,"op":"a b"})";
  EXPECT_EQ(refused(method, "edn"), "error: EDN cannot express a b() = ?");
  EXPECT_EQ(refused(method, "violin"), "error: Violin's form cannot express a b()");
  const char* word = R"({"type":"call","process":1,"op":"f","args":["12"]})";
  EXPECT_EQ(refused(word, "violin"), "error: Violin's form cannot express f(\"12\")");
  const char* named = R"({"type":"call","process":1,"op":"f","object":"q"})";
  EXPECT_EQ(refused(named, "violin"), "error: Violin's form cannot express several objects");
  const char* initial = R"({"history":1,"object":"register","initial":1})";
  EXPECT_EQ(refused(initial, "violin"), "error: Violin's form cannot express an initial value");
  EXPECT_EQ(refused(initial, "xml"), "error: cannot write the format \"xml\"");
}

}  // namespace
}  // namespace plumb
