// SPDX-License-Identifier: MIT
// Decides a history from C++, with a custom specification.
#include <cstdio>
#include <plumb/check.hpp>
#include <plumb/describe.hpp>
#include <utility>

// Hands out numbers, each once.
struct Tickets {
  int next = 1;
  auto state() const { return std::tie(next); }
  int draw() { return next++; }
};

int main() {
  const auto tickets = plumb::describe<Tickets>("tickets").method("draw", &Tickets::draw);

  // Two concurrent customers take a number, and both get 1.
  plumb::HistoryBuilder builder;
  builder.begin_object(plumb::Value::nil(), "tickets");
  const auto a = builder.process(plumb::Value::string("a"));
  const auto b = builder.process(plumb::Value::string("b"));
  const auto draw = builder.intern_call("draw", {});
  for (const auto process : {a, b})
    if (plumb::Status s = builder.call(process, 0, draw); !s) return 65;
  for (const auto process : {a, b})
    if (plumb::Status s = builder.returned(process, plumb::Value::integer(1)); !s) return 65;
  const plumb::Result<plumb::History> history = std::move(builder).finish();
  if (!history) return 65;

  const auto report = plumb::check(*history, {.specification = &tickets.table()});
  if (!report) {
    std::fprintf(stderr, "%s\n", report.error().to_string().c_str());
    return 70;
  }
  std::printf("%s\n", std::string(plumb::to_string(report->verdict)).c_str());
  if (report->counterexample)
    for (const plumb::OperationId op : report->counterexample->operations)
      std::printf("  %s\n", history->print(op).c_str());
  return report->verdict == plumb::Verdict::violation ? 0 : 1;
}
