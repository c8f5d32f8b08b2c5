// SPDX-License-Identifier: MIT
// Recorded events as lines of the native format. It runs while the program is being measured, so a
// line is written in place, without a string of its own.
#pragma once

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "history/print.hpp"
#include "plumb/recorder.hpp"

namespace plumb {

/// The lines that are not written yet.
class RecordedText {
  using RecordBuffer = detail::RecordBuffer;
  using Word = detail::Word;

 public:
  std::size_t size() const { return size_; }
  const char* data() const { return bytes_.data(); }
  void clear() { size_ = 0; }

  void append(std::string_view text) {
    reserve(text.size());
    add(text);
  }

  void append_event(const Word* event) {
    const Word* const end = event + (event[0] >> 8 & 0xffffff);
    const auto kind = static_cast<RecordBuffer::Kind>(event[0] & 0x7f);
    const auto process = static_cast<std::uint32_t>(event[0] >> 32);
    if (event[0] & RecordBuffer::kOutside)
      append_event(kind, process, outside_of(event) + 2, outside_of(event) + event[3]);
    else append_event(kind, process, event + 2, end);
  }
  static const Word* outside_of(const Word* event) {
    return reinterpret_cast<const Word*>(event[2]);
  }

 private:
  /// The most that a word can become: seven control characters in quotes, or eight without.
  static constexpr std::size_t kPerWord = 50;

  void append_event(RecordBuffer::Kind kind, std::uint32_t process, const Word* at,
                    const Word* end) {
    reserve(96 + static_cast<std::size_t>(end - at) * kPerWord);
    switch (kind) {
      case RecordBuffer::Kind::call:
        add(R"({"type":"call","process":)");
        add_number(process);
        add(R"(,"op":)");
        at = add_value(at);
        add(R"(,"args":[)");
        for (bool first = true; at < end; first = false) {
          if (!first) add(",");
          at = add_value(at);
        }
        add("]}\n");
        break;
      case RecordBuffer::Kind::returned:
        add(R"({"type":"return","process":)");
        add_number(process);
        add(R"(,"result":)");
        add_value(at);
        add("}\n");
        break;
      default:
        add(R"({"type":"crash","process":)");
        add_number(process);
        add("}\n");
    }
  }

  const Word* add_value(const Word* at) {
    const Word word = *at++;
    switch (word & 7) {
      case detail::RecordedTag::nil: add("null"); return at;
      case detail::RecordedTag::boolean: word & 8 ? add("true") : add("false"); return at;
      case detail::RecordedTag::integer:
        add_number(static_cast<std::int64_t>(word) >> 3);
        return at;
      case detail::RecordedTag::wide: add_number(static_cast<std::int64_t>(*at)); return at + 1;
      case detail::RecordedTag::real: {
        std::string text;
        append_json_real(text, std::bit_cast<double>(*at));
        add(text);
        return at + 1;
      }
      case detail::RecordedTag::short_text: {
        char text[detail::kShortText];
        const std::size_t size = word >> 3 & 7;
        for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(word >> (8 + 8 * i));
        add_string({text, size});
        return at;
      }
      case detail::RecordedTag::long_text: {
        if (word & 8) return add_list(at, word >> 4);
        const std::size_t size = word >> 4;
        add_string({reinterpret_cast<const char*>(at), size});
        return at + (size + 7) / 8;
      }
      default: {
        const std::string text = std::bit_cast<Value>(*at).to_string();
        reserve(reserved_ - size_ + text.size());
        add(text);
        return at + 1;
      }
    }
  }

  const Word* add_list(const Word* at, Word items) {
    add("[");
    for (Word i = 0; i < items; ++i) {
      if (i) add(",");
      at = add_value(at);
    }
    add("]");
    return at;
  }

  void add_string(std::string_view text) {
    const auto plain = [](char c) {
      return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
    };
    if (std::all_of(text.begin(), text.end(), plain)) {
      add("\"");
      add(text);
      add("\"");
    } else {
      std::string quoted;
      append_json_string(quoted, text);
      add(quoted);
    }
  }

  /// Requires, as everything that adds: there is room.
  void add(std::string_view text) {
    std::memcpy(bytes_.data() + size_, text.data(), text.size());
    size_ += text.size();
  }
  template <class Integer>
  void add_number(Integer i) {
    char* const at = bytes_.data() + size_;
    size_ += static_cast<std::size_t>(std::to_chars(at, at + 24, i).ptr - at);
  }

  void reserve(std::size_t more) {
    reserved_ = size_ + more;
    if (bytes_.size() < reserved_) bytes_.resize(std::max(reserved_, 2 * bytes_.size()));
  }

  std::vector<char> bytes_;
  std::size_t size_ = 0;
  std::size_t reserved_ = 0;
};

}  // namespace plumb
