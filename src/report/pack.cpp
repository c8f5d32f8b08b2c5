// SPDX-License-Identifier: MIT
#include "report/pack.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/json_reader.hpp"
#include "base/text.hpp"
#include "explain/story.hpp"
#include "explain/words.hpp"
#include "history/print.hpp"

namespace plumb::report {
namespace {

constexpr std::size_t kPackedColumns = 120, kPackedNotes = 10'000, kNoteColumns = 400;

class Packer {
 public:
  explicit Packer(const HistoryView& view) : view_(view), h_(*view.history) {}

  std::string pack() {
    number_labels();
    std::string head = make_head().dump();
    add(head.size());
    out_ += head;
    add_operations();
    add_labels();
    return std::move(out_);
  }

 private:
  // ---- numbers: seven bits a byte, least first; the eighth says that more follow

  void add(std::uint64_t number) {
    for (; number >= 128; number >>= 7) out_ += static_cast<char>(number | 128);
    out_ += static_cast<char>(number);
  }
  void add_signed(std::int64_t number) {
    add(number < 0 ? static_cast<std::uint64_t>(-(number + 1)) * 2 + 1
                   : static_cast<std::uint64_t>(number) * 2);
  }

  template <class T>
  static std::uint32_t number_of(T&& thing, auto& numbers, auto& things) {
    const auto [at, is_new] = numbers.try_emplace(thing, things.size());
    if (is_new) things.push_back(thing);
    return static_cast<std::uint32_t>(at->second);
  }

  // In the order in which operations have them, so that most need no number.
  void number_labels() {
    std::vector<std::uint32_t> number(h_.labels.size(), kNone);
    for (OperationId op = 0; op < h_.size(); ++op) {
      const LabelId label = h_.label[op];
      back_.push_back(
          number[label] == kNone ? 0 : static_cast<std::uint32_t>(labels_.size() - number[label]));
      if (number[label] != kNone) continue;
      number[label] = static_cast<std::uint32_t>(labels_.size());
      labels_.push_back(label);
      const Specification* const specification = view_.specification(h_.object[op]);
      method_.push_back(
          number_of(std::string(h_.call_of(op).method), method_numbers_, method_names_));
      std::string key;
      if (specification && specification->find(h_.call_of(op).method)) {
        const auto keys = specification->keys(bound_label(*specification, h_, label));
        if (!keys.empty()) key = keys.front().to_string();
      }
      key_.push_back(number_of(key, key_numbers_, key_names_));
      text_ += label_text(specification, label) + "\n";
    }
  }
  // What follows the method: "(7)", "() = 3".
  std::string label_text(const Specification* specification, LabelId id) const {
    const Label& label = h_.labels[id];
    const Call call = h_.calls[label.call];
    std::string text = "(";
    for (const Value arg : call.args)
      text += (text.size() > 1 ? ", " : "") + words(arg, kPackedColumns);
    text += ")";
    if (label.known) {
      const std::string result =
          result_words(specification, call.method, label.result, kPackedColumns);
      if (result != "ok" && !(label.result.is_nil() && result == "nil")) text += " = " + result;
    }
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  }

  // What is long in it is cut; it stays JSON.
  static std::string short_note(const std::string& text) {
    if (text.size() <= kNoteColumns) return text;
    std::optional<Json> note = parse_json(text);
    if (!note || !note->is_object()) return text::elide(text, kNoteColumns);
    for (auto& [name, value] : *note->members()) {
      const std::string said = value.text() ? *value.text() : value.dump();
      if (said.size() > kNoteColumns) value = text::elide(said, kNoteColumns);
    }
    return note->dump();
  }

  Json make_head() const {
    Json head;
    head["operations"] = h_.size();
    head["labels"] = labels_.size();
    head["events"] = h_.events.size();
    const auto name = [](Value value) {
      return value.kind() == Value::Kind::string ? std::string(value.as_text()) : value.to_string();
    };
    head["processes"] = Json::array();
    for (const Value process : h_.processes) head["processes"].push_back(name(process));
    head["objects"] = Json::array();
    for (const Object& object : h_.objects)
      head["objects"].push_back(object.name.is_nil() ? std::string() : name(object.name));
    head["methods"] = method_names_;
    head["keys"] = key_names_;
    head["notes"] = Json::array();
    for (const Note& note : h_.notes)
      if (head["notes"].size() < kPackedNotes)
        head["notes"].push_back(Json::array({note.position, short_note(note.text)}));
    head["has_objects"] = h_.objects.size() > 1;
    head["has_lines"] = has_lines();
    head["has_times"] = !h_.call_time.empty();
    head["time_base"] =
        h_.call_time.empty() ? std::string() : std::to_string(h_.call_time[0].whole);
    return head;
  }
  bool has_lines() const {
    return std::any_of(h_.line.begin(), h_.line.end(), [](auto line) { return line != 0; });
  }

  void add_operations() {
    const auto n = static_cast<OperationId>(h_.size());
    std::uint32_t last = 0;
    for (OperationId op = 0; op < n; ++op) {
      add(h_.call[op] - last);
      last = h_.call[op];
    }
    for (OperationId op = 0; op < n; ++op) add(h_.returned(op) ? h_.ret[op] - h_.call[op] : 0);
    for (OperationId op = 0; op < n; ++op) add(h_.process[op]);
    for (const std::uint32_t back : back_) add(back);
    if (h_.objects.size() > 1)
      for (OperationId op = 0; op < n; ++op) add(h_.object[op]);
    if (has_lines()) {
      // Lines run along with positions; what is written is how that changes.
      std::int64_t offset = 0;
      const auto add_line = [&](std::uint32_t line, std::uint32_t position) {
        const std::int64_t now = std::int64_t{line} - position;
        add_signed(now - offset);
        offset = now;
      };
      for (OperationId op = 0; op < n; ++op) add_line(h_.line[op], h_.call[op]);
      offset = 0;
      for (OperationId op = 0; op < n; ++op)
        if (h_.returned(op)) add_line(h_.return_line[op], h_.ret[op]);
    }
    if (!h_.call_time.empty()) {
      std::int64_t time = h_.call_time[0].whole;
      for (OperationId op = 0; op < n; ++op) {
        add_signed(h_.call_time[op].whole - time);
        time = h_.call_time[op].whole;
      }
      for (OperationId op = 0; op < n; ++op)
        if (h_.returned(op)) add_signed(h_.return_time[op].whole - h_.call_time[op].whole);
    }
  }
  void add_labels() {
    for (const std::uint32_t method : method_) add(method);
    for (const std::uint32_t key : key_) add(key);
    out_ += text_;
  }

  const HistoryView& view_;
  const History& h_;
  std::string out_, text_;
  std::vector<LabelId> labels_;      // in the order of their new numbers
  std::vector<std::uint32_t> back_;  // by operation: 0 is the next new label, k the k-th before it
  std::vector<std::uint32_t> method_, key_;  // by new number
  std::unordered_map<std::string, std::size_t> method_numbers_, key_numbers_ = {{"", 0}};
  std::vector<std::string> method_names_, key_names_ = {""};
};

}  // namespace

std::string packed_history(const HistoryView& view) { return Packer(view).pack(); }

}  // namespace plumb::report
