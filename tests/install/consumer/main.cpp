// SPDX-License-Identifier: MIT
// A program of somebody else: uses only what is installed.
#include <plumb/check.hpp>
#include <plumb/load.hpp>
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

}  // namespace

// consumer [SPECIFICATION.cpp]: which the library compiles against its own headers.
int main(int argc, char** argv) {
  if (plumb::version() != std::string_view(PLUMB_VERSION)) return 2;
  if (argc > 1 && !plumb::load_specification(argv[1])) return 3;
  const plumb::Verdict good = judge(1), bad = judge(2);
  std::printf("first in, first out: %s\n", std::string(to_string(good)).c_str());
  std::printf("last in, first out: %s\n", std::string(to_string(bad)).c_str());
  return good == plumb::Verdict::holds && bad == plumb::Verdict::violation ? 0 : 1;
}
