// SPDX-License-Identifier: MIT
// The buffer of one recording process: what recorder.hpp writes into, and no part of its interface.
//
// A ring of words with one writer, the recording thread, and one reader, the recorder's own thread.
// Recording an event is: compare two positions, store a few words, add one to the shared counter,
// publish. Values are stored as they are and become text in the recorder's thread.
//
//   event   kind and length and process | stamp | what it carries: method and arguments, or result
//   value   one word with a tag in its lowest bits, and what did not fit into it behind it
#pragma once

#include <atomic>
#include <bit>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "plumb/convert.hpp"
#include "plumb/export.hpp"
#include "plumb/value.hpp"

namespace plumb::detail {

using Word = std::uint64_t;

/// In the lowest three bits of a value's first word.
struct RecordedTag {
  enum Kind : Word {
    nil,
    boolean,     // bit 3
    integer,     // 61 bits
    wide,        // an integer, in the next word
    real,        // in the next word
    short_text,  // a string of up to 7 bytes: their number from bit 3, they from bit 8
    long_text,   // bit 3 clear: a string, its length from bit 4, then its bytes. Set: a list,
                 // the number of its items from bit 4, then they
    value        // a Value, in the next word
  };
};

constexpr std::size_t kShortText = 7;

template <class T>
constexpr bool kRecordedAsText = std::is_convertible_v<const T&, std::string_view>;
template <class T>
constexpr bool kRecordedAsOptional = false;
template <class T>
constexpr bool kRecordedAsOptional<std::optional<T>> = true;
/// Only where Convert is Plumb's own: users may have specialised it for a container of theirs.
template <class T>
concept RecordedAsList = std::is_base_of_v<ConvertContainer<T>, Convert<T>>;
template <class T>
constexpr bool kRecordedAsTuple = false;
template <class... T>
constexpr bool kRecordedAsTuple<std::tuple<T...>> =
    std::is_base_of_v<ConvertTuple<std::tuple<T...>, T...>, Convert<std::tuple<T...>>>;
template <class A, class B>
constexpr bool kRecordedAsTuple<std::pair<A, B>> =
    std::is_base_of_v<ConvertTuple<std::pair<A, B>, A, B>, Convert<std::pair<A, B>>>;

/// How many words `put` writes at most.
template <class T>
std::size_t words_of(const T& x) {
  if constexpr (kRecordedAsText<T>) {
    const std::size_t size = std::string_view(x).size();
    return size <= kShortText ? 1 : 1 + (size + 7) / 8;
  } else if constexpr (std::is_arithmetic_v<T>) {
    return 2;
  } else if constexpr (kRecordedAsOptional<T>) {
    return x ? words_of(*x) : 1;
  } else if constexpr (kRecordedAsTuple<T>) {
    return std::apply([](const auto&... items) { return (std::size_t{1} + ... + words_of(items)); },
                      x);
  } else if constexpr (RecordedAsList<T>) {
    std::size_t words = 1;
    for (const auto& item : x) words += words_of<typename T::value_type>(item);
    return words;
  } else {
    return 2;
  }
}

/// Returns: where the next value goes.
template <class T>
Word* put(Word* at, const T& x) {
  if constexpr (kRecordedAsText<T>) {
    const std::string_view text(x);
    if (text.size() <= kShortText) {
      // Byte by byte: the compiler folds it where the text is a literal, as methods mostly are.
      Word word = RecordedTag::short_text | text.size() << 3;
      for (std::size_t i = 0; i < text.size(); ++i)
        word |= Word{static_cast<unsigned char>(text[i])} << (8 + 8 * i);
      *at++ = word;
      return at;
    }
    *at++ = RecordedTag::long_text | text.size() << 4;
    std::memcpy(at, text.data(), text.size());
    return at + (text.size() + 7) / 8;
  } else if constexpr (std::is_same_v<T, bool>) {
    *at++ = RecordedTag::boolean | Word{x} << 3;
    return at;
  } else if constexpr (std::is_integral_v<T>) {
    const auto word = static_cast<Word>(static_cast<std::int64_t>(x));
    if (static_cast<std::int64_t>(word << 3) >> 3 == static_cast<std::int64_t>(word)) {
      *at++ = word << 3 | RecordedTag::integer;
    } else {
      *at++ = RecordedTag::wide;
      *at++ = word;
    }
    return at;
  } else if constexpr (std::is_floating_point_v<T>) {
    *at++ = RecordedTag::real;
    *at++ = std::bit_cast<Word>(static_cast<double>(x));
    return at;
  } else if constexpr (kRecordedAsOptional<T>) {
    if (x) return put(at, *x);
    *at++ = RecordedTag::nil;
    return at;
  } else if constexpr (kRecordedAsTuple<T>) {
    *at++ = RecordedTag::long_text | 1u << 3 | std::tuple_size_v<T> << 4;
    std::apply([&](const auto&... items) { ((at = put(at, items)), ...); }, x);
    return at;
  } else if constexpr (RecordedAsList<T>) {
    Word& head = *at++;
    Word items = 0;
    for (const auto& item : x) {
      at = put<typename T::value_type>(at, item);
      ++items;
    }
    head = RecordedTag::long_text | 1u << 3 | items << 4;
    return at;
  } else {
    const Value value = Convert<T>::to(x);  // a type of the user's: the one case that converts here
    if (value.is_nil()) {
      *at++ = RecordedTag::nil;
      return at;
    }
    *at++ = RecordedTag::value;
    *at++ = std::bit_cast<Word>(value);
    return at;
  }
}

struct RecorderState;

/// Thread safety: everything public belongs to one recording thread at a time.
class PLUMB_API RecordBuffer {
 public:
  enum class Kind : std::uint8_t { call, returned, unknown, skip };
  static constexpr Word kOutside = 1u << 7;  // in the byte of the kind: see `outside_`

  RecordBuffer(RecorderState& state, std::atomic<Word>& counter, std::uint32_t process,
               std::size_t words);
  RecordBuffer(const RecordBuffer&) = delete;
  RecordBuffer& operator=(const RecordBuffer&) = delete;

  /// Returns: the number of the process that calls.
  template <class... A>
  std::uint32_t call(std::string_view method, const A&... args) {
    Word* const start = room(2 + (words_of(method) + ... + words_of(args)));
    try {
      Word* end = put(start + 2, method);
      ((end = put(end, args)), ...);
      if (busy_) next_process();
      busy_ = true;
      // Acquires, as a return releases. So a return with a smaller stamp happens before this call
      // with all that its operation did: the history claims no order that was not there. (That the
      // order which was there is not lost follows from the counter being one atomic object.)
      publish(Kind::call, process_, start, end, [this] { return stamp<kCall>(); });
    } catch (...) {
      outside_.reset();
      throw;
    }
    return process_;
  }

  template <class R>
  void returned(std::uint32_t process, const R& result) {
    const Word stamped = stamp<kReturn>();
    if (process == process_) busy_ = false;
    try {
      Word* const start = room(2 + words_of(result));
      publish(Kind::returned, process, start, put(start + 2, result), [&] { return stamped; });
    } catch (...) {  // no result, but the stamp is drawn: nobody may wait for it in vain
      outside_.reset();
      if (process == process_) busy_ = true;
      ended_unknown(process, stamped);
      throw;
    }
  }

  void unknown(std::uint32_t process) { ended_unknown(process, stamp<kReturn>()); }

 private:
  friend struct RecorderState;
  static constexpr std::memory_order kCall = std::memory_order_acquire;
  static constexpr std::memory_order kReturn = std::memory_order_release;

  template <std::memory_order order>
  Word stamp() {
    return counter_->fetch_add(1, order);
  }

  Word* room(std::size_t words) {
    if (words <= limit_ - tail_) [[likely]]
      return words_.get() + (tail_ & mask_);
    return make_room(words);
  }
  /// Waits for the reader where the ring is full. Requires: no event is half written.
  Word* make_room(std::size_t words);
  void wait_until_consumed(Word position);

  template <class Stamp>
  void publish(Kind kind, std::uint32_t process, Word* start, Word* end, Stamp stamp) {
    Word first = static_cast<Word>(kind) | Word{process} << 32;
    if (outside_) [[unlikely]] {
      end = refer_to_outside(start, end);
      first |= kOutside;
    }
    const auto length = static_cast<Word>(end - start);
    start[0] = first | length << 8;
    start[1] = stamp();
    tail_ += length;
    published_.store(tail_, std::memory_order_release);
  }
  /// Points `start` into the ring. Returns: its end there.
  Word* refer_to_outside(Word*& start, const Word* end);

  void ended_unknown(std::uint32_t process, Word stamped) {
    Word* const start = room(2);
    publish(Kind::unknown, process, start, start + 2, [&] { return stamped; });
  }
  void next_process();

  /// The recording thread's. Positions only grow; `limit_` is how far it may write without looking
  /// at what was consumed, and never beyond the ring's end.
  std::unique_ptr<Word[]> words_;
  Word mask_;
  Word tail_ = 0, limit_ = 0;
  std::atomic<Word>* counter_;
  std::uint32_t process_;
  bool busy_ = false;                // an operation of `process_` is open
  std::unique_ptr<Word[]> outside_;  // an event too long for the ring, which gets a reference
  RecorderState* state_;

  alignas(64) std::atomic<Word> published_{0};
  alignas(64) std::atomic<Word> consumed_{0};
  std::atomic<std::size_t> outside_words_{0};

  /// The recorder's: guarded by its mutex.
  std::condition_variable space_;
  std::optional<Word> wanted_;  // where `consumed_` has to be before the recording thread continues
};

}  // namespace plumb::detail
