// SPDX-License-Identifier: MIT
// A program of a user: it has only what is installed.
#include <plumb/check.hpp>
#include <plumb/load.hpp>
#include <plumb/verify.hpp>
#include <plumb/version.hpp>

#include <cstdio>
#include <string_view>

static_assert(PLUMB_VERSION_NUMBER >= 100);

using plumb::Value;

namespace {

/// deq returns 2 although 1 was first in the queue, or 1.
plumb::Verdict judge(int dequeued) {
  plumb::HistoryBuilder builder;
  builder.begin_object(Value::nil(), "queue");
  const plumb::ProcessId process = builder.process(Value::integer(0));
  const plumb::ObjectId queue = builder.object(Value::nil());
  const auto operation = [&](plumb::CallId call, Value result) {
    return builder.call(process, queue, call).ok() && builder.returned(process, result).ok();
  };
  const bool built = operation(builder.intern_call("enq", {Value::integer(1)}), Value::nil()) &&
                     operation(builder.intern_call("enq", {Value::integer(2)}), Value::nil()) &&
                     operation(builder.intern_call("deq", {}), Value::integer(dequeued));
  if (!built) return plumb::Verdict::undecided;
  const plumb::Result<plumb::History> history = std::move(builder).finish();
  if (!history) return plumb::Verdict::undecided;
  const plumb::Result<plumb::CheckReport> report = plumb::check(*history);
  return report ? report->verdict : plumb::Verdict::undecided;
}

/// Whether a flag that any number of clients set and read is linearizable, and whether it is
/// lock-free.
bool verifies() {
  const plumb::Result<plumb::Model> model = plumb::read_model_text(
      "const N = 1\n"
      "object Flag { shared x : bit = 0\n  op set() { x = 1 }\n  op get() { return x } }\n"
      "spec { state s : bit = 0\n  op set() { s = 1 }\n  op get() { return s } }\n"
      "clients { N x any }\n",
      "flag.plumb", {{"N", 2}});
  if (!model || model->processes() != 2) return false;
  const auto linearizable = plumb::verify(*model);
  const auto progress = plumb::verify(*model, {.question = plumb::question_named("lock-free")});
  return linearizable && linearizable->verdict == plumb::Verdict::holds && progress &&
         progress->verdict == plumb::Verdict::holds;
}

}  // namespace

// consumer [SPECIFICATION.cpp]: which the library compiles against its own headers.
int main(int argc, char** argv) {
  if (plumb::version() != std::string_view(PLUMB_VERSION)) return 2;
  if (argc > 1 && !plumb::load_specification(argv[1])) return 3;
  if (!verifies()) return 4;
  const plumb::Verdict good = judge(1), bad = judge(2);
  std::printf("first in, first out: %s\n", std::string(to_string(good)).c_str());
  std::printf("last in, first out: %s\n", std::string(to_string(bad)).c_str());
  return good == plumb::Verdict::holds && bad == plumb::Verdict::violation ? 0 : 1;
}
