// SPDX-License-Identifier: MIT
// The recorder's thread: merges the buffers of all processes and writes them as text.
//
// Stamps are 0, 1, 2, ... without gaps, and each buffer holds its own in ascending order. So the
// next event of the history is at the front of some buffer, or it is not there yet: its thread has
// drawn the stamp and not published the event, or the buffer is newer than the list of them that
// the thread looks at. Either way it waits for exactly that stamp, and needs no other protocol
// with the recording threads to know that everything smaller has been written.
//
// No thread waits in vain. A thread that waits for room with a stamp drawn has only smaller stamps
// in its buffer. Take, of all such threads, the one with the smallest stamp: everything below is
// published, or about to be by a thread that does not wait; so the recorder can empty that buffer,
// and the thread continues. (Provided that the file, or whoever reads the pipe, takes the text.)
//
// The recorder's thread sleeps for a millisecond when it has written everything, longer if nothing
// happens, so that recording an event never has to wake it; a thread that has filled half of its
// buffer does.
#include "plumb/recorder.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "history/recorded_text.hpp"
#include "history/recorder_output.hpp"

namespace plumb {
namespace {

using namespace std::chrono_literals;
using detail::RecordBuffer;
using detail::Word;

constexpr std::size_t kBlock = 1 << 16;         // bytes that are written at once
constexpr Word kEvents = 1 << 12;               // that are merged at once
constexpr std::size_t kOutsideWords = 1 << 23;  // of one process, waiting to be written: 64 MiB
constexpr auto kSoon = 100us;                   // a thread waits for us
constexpr auto kNap = 1ms, kLongestNap = 16ms;  // none does

}  // namespace

struct detail::RecorderState {
  // A buffer as the recorder's thread sees it.
  struct Front {
    RecordBuffer* buffer;
    Word position = 0, published = 0;

    const Word* event() const { return buffer->words_.get() + (position & buffer->mask_); }
    Word stamp() const { return event()[1]; }
    void advance() { position += event()[0] >> 8 & 0xffffff; }

    /// Moves to the next event. Returns: whether there is one.
    bool look() {
      if (position == published) published = buffer->published_.load(std::memory_order_acquire);
      if (position == published) return false;
      // What is skipped was published together with the event behind it.
      if (static_cast<RecordBuffer::Kind>(event()[0] & 0x7f) == RecordBuffer::Kind::skip) advance();
      return true;
    }
    void consume() {
      const Word* const at = event();
      if (at[0] & RecordBuffer::kOutside) {
        delete[] RecordedText::outside_of(at);
        buffer->outside_words_.fetch_sub(at[3], std::memory_order_relaxed);
      }
      advance();
    }
    void give_back() { buffer->consumed_.store(position, std::memory_order_release); }
  };

  alignas(64) std::atomic<Word> counter{0};  // on a line of its own: every event writes it
  alignas(64) std::atomic<std::uint32_t> next_process{0};

  std::mutex mutex;  // of everything down to `error`
  std::deque<RecordBuffer> buffers;
  bool started = false;  // the header is written
  Word written = 0;      // the stamps below have been handed to the system
  Word asked_for = 0;    // by flush()
  unsigned waiting = 0;  // recording threads that wait for room
  bool stopping = false;
  int error = 0;  // errno of the first failure
  std::condition_variable wake, done;

  std::size_t buffer_words = 0;
  std::string name;
  bool opened = true;
  std::optional<RecorderOutput> output;
  std::thread thread;

  // The thread's own.
  std::vector<Front> fronts;
  std::vector<Front*> heap;  // those with an event, the smallest stamp first
  RecordedText text;
  Word next = 0;        // the stamp that comes next
  bool failed = false;  // its own copy of error != 0

  void start(const RecorderOptions& options) {
    buffer_words = std::bit_ceil(
        std::clamp<std::size_t>(options.buffer_bytes / sizeof(Word), 512, std::size_t{1} << 24));
    std::string header = "{\"history\":1";
    if (!options.object.empty())
      header += ",\"object\":" + Value::string(options.object).to_string();
    if (options.initial) header += ",\"initial\":" + options.initial->to_string();
    header += "}\n";
    // Signals are the program's: none is for this thread. Above all, a pipe that nobody reads any
    // more is an error, and not the end of the program by SIGPIPE.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      thread = std::thread([this, header] { run(header); });
    } catch (...) {
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
      throw;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    enlist();
  }

  void stop() {
    delist();
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    wake.notify_one();
    thread.join();
  }

  // Whatever can be written now, up to a block. Returns: whether there may be more.
  bool merge() {
    const Word enough = next + kEvents;
    const auto later = [](const Front* a, const Front* b) { return a->stamp() > b->stamp(); };
    heap.clear();
    for (Front& front : fronts)
      if (front.look()) heap.push_back(&front);
    std::make_heap(heap.begin(), heap.end(), later);
    while (!heap.empty() && heap.front()->stamp() == next) {
      std::pop_heap(heap.begin(), heap.end(), later);
      Front& front = *heap.back();
      bool there = true;
      do {  // mostly a run of events: a thread is alone on its core for long
        if (!failed) text.append_event(front.event());
        front.consume();
        ++next;
        there = front.look();
      } while (there && front.stamp() == next && text.size() < kBlock && next < enough);
      front.give_back();
      if (there) std::push_heap(heap.begin(), heap.end(), later);
      else heap.pop_back();
      if (text.size() >= kBlock || next >= enough) return true;
    }
    return false;
  }

  // Returns: whether the system has everything.
  bool write(bool flush) {
    int now = 0;
    if (!failed) now = output->write(text.data(), text.size());
    if (!failed && now == 0 && flush) now = output->flush();
    text.clear();
    if (now != 0) {
      failed = true;
      const std::lock_guard lock(mutex);
      error = now;
    }
    return failed || flush || !output->keeps();
  }

  void run(const std::string& header) {
    std::unique_lock lock(mutex);
    failed = error != 0;
    lock.unlock();
    text.append(header);
    write(true);
    lock.lock();
    started = true;
    std::chrono::microseconds nap = kNap;
    while (true) {
      for (std::size_t i = fronts.size(); i < buffers.size(); ++i) fronts.push_back({&buffers[i]});
      const Word asked = asked_for, before = next;
      const bool asking = asked > written, last = stopping;
      lock.unlock();
      const bool more = merge();
      const bool through = write(asking && next >= asked);
      lock.lock();
      if (through) {
        written = next;
        done.notify_all();
      }
      if (waiting > 0) admit();
      if (more) continue;
      if (last && next == counter.load(std::memory_order_relaxed)) break;
      if (stopping || waiting > 0 || asked_for > written) {
        wake.wait_for(lock, kSoon);
      } else {
        nap = next != before ? kNap : std::min<std::chrono::microseconds>(2 * nap, kLongestNap);
        wake.wait_for(lock, nap);
      }
    }
    const int now = output ? output->close() : 0;
    if (error == 0) error = now;
  }

  // Wakes those who have the room that they wait for. Requires: the mutex is held.
  void admit() {
    for (RecordBuffer& buffer : buffers)
      if (buffer.wanted_ && buffer.consumed_.load(std::memory_order_relaxed) >= *buffer.wanted_)
        buffer.space_.notify_one();
  }

  // Returns: when all that has been recorded is written. Requires: the mutex is held.
  auto ask() {
    const Word all = counter.load();
    asked_for = std::max(asked_for, all);
    wake.notify_one();
    return [this, all] { return started && written >= all; };
  }

  Status flush() {
    std::unique_lock lock(mutex);
    done.wait(lock, ask());
    if (error == 0) return {};
    return Error{opened ? ErrorKind::internal : ErrorKind::missing_file,
                 std::string("the history could not be written: ") + std::strerror(error), "", name,
                 0};
  }

  // An uncaught exception need not unwind, so destructors do not run: the recorders that are alive
  // are flushed by a terminate handler, which then calls the one that was installed before. It
  // does not wait forever: the missing stamp may be that of the thread that is ending.
  static inline std::mutex alive_mutex;
  static inline std::vector<RecorderState*> alive;
  static inline std::terminate_handler next_handler = nullptr;

  [[noreturn]] static void on_terminate() {
    {
      const std::lock_guard all_lock(alive_mutex);
      for (RecorderState* state : alive) {
        if (state->thread.get_id() == std::this_thread::get_id()) continue;
        std::unique_lock lock(state->mutex);
        state->done.wait_for(lock, 1s, state->ask());
      }
    }
    if (next_handler) next_handler();
    std::abort();
  }

  void enlist() {
    const std::lock_guard lock(alive_mutex);
    if (!next_handler) next_handler = std::set_terminate(&on_terminate);
    alive.push_back(this);
  }
  void delist() {
    const std::lock_guard lock(alive_mutex);
    std::erase(alive, this);
  }
};

namespace detail {

RecordBuffer::RecordBuffer(RecorderState& state, std::atomic<Word>& counter, std::uint32_t process,
                           std::size_t words)
    : words_(std::make_unique_for_overwrite<Word[]>(words)), mask_(words - 1), counter_(&counter),
      process_(process), state_(&state) {}

void RecordBuffer::next_process() { process_ = state_->next_process.fetch_add(1); }

Word* RecordBuffer::make_room(std::size_t words) {
  const Word capacity = mask_ + 1;
  if (words > capacity / 8) {
    if (const std::size_t held = outside_words_.load(std::memory_order_relaxed);
        held > 0 && held + words > kOutsideWords)
      wait_until_consumed(published_.load(std::memory_order_relaxed));
    room(4);  // for the reference
    outside_ = std::make_unique_for_overwrite<Word[]>(words);
    return outside_.get();
  }
  const Word to_end = capacity - (tail_ & mask_);
  const Word needed = words <= to_end ? words : to_end + words;
  Word consumed = consumed_.load(std::memory_order_acquire);
  if (tail_ - consumed > capacity / 2) state_->wake.notify_one();  // it may have dozed off
  if (tail_ + needed > consumed + capacity) {
    // Not one by one: a thread that has to wait at all sleeps until it is worth while.
    wait_until_consumed(std::max(tail_ + needed - capacity, tail_ - capacity / 2));
    consumed = consumed_.load(std::memory_order_acquire);
  }
  if (words > to_end) {
    words_[tail_ & mask_] = static_cast<Word>(Kind::skip) | to_end << 8;
    tail_ += to_end;
  }
  // Comes here again after half a buffer at most, to see whether the recorder sleeps.
  limit_ = std::min({consumed + capacity, tail_ + capacity / 2, (tail_ | mask_) + 1});
  return words_.get() + (tail_ & mask_);
}

void RecordBuffer::wait_until_consumed(Word position) {
  std::unique_lock lock(state_->mutex);
  wanted_ = position;
  ++state_->waiting;
  state_->wake.notify_one();
  space_.wait(lock, [&] { return consumed_.load(std::memory_order_acquire) >= position; });
  --state_->waiting;
  wanted_.reset();
}

Word* RecordBuffer::refer_to_outside(Word*& start, const Word* end) {
  const auto length = static_cast<Word>(end - start);
  start = words_.get() + (tail_ & mask_);
  outside_words_.fetch_add(length, std::memory_order_relaxed);
  start[2] = reinterpret_cast<Word>(outside_.release());
  start[3] = length;
  return start + 4;
}

}  // namespace detail

Recorder::Recorder(const std::string& file, const RecorderOptions& options)
    : state_(std::make_unique<detail::RecorderState>()) {
  state_->name = file;
  if (file == "-") {
    state_->output.emplace(STDOUT_FILENO, false);
  } else {
    const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    state_->opened = descriptor >= 0;
    if (state_->opened) state_->output.emplace(descriptor, true);
    else state_->error = errno;
    if (state_->opened && file.ends_with(".gz")) state_->error = state_->output->compress();
  }
  state_->start(options);
}

Recorder::Recorder(int descriptor, const RecorderOptions& options)
    : state_(std::make_unique<detail::RecorderState>()) {
  state_->name = "descriptor " + std::to_string(descriptor);
  state_->output.emplace(descriptor, false);
  state_->start(options);
}

Recorder::~Recorder() { state_->stop(); }

Recorder::Process Recorder::process() {
  const std::lock_guard lock(state_->mutex);
  return Process(state_->buffers.emplace_back(
      *state_, state_->counter, state_->next_process.fetch_add(1), state_->buffer_words));
}

Status Recorder::flush() { return state_->flush(); }

}  // namespace plumb
