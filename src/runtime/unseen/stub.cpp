// SPDX-License-Identifier: MIT
#include "runtime/unseen/stub.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "runtime/unseen/kept_vectors.hpp"

namespace plumb::runtime {
namespace {

extern "C" {
extern const char plumb_stub_entry[] __attribute__((visibility("hidden")));
}

// What an instruction addresses relative to itself must be addressed from its copy, and a jump
// reaches two gigabytes.
constexpr std::uintptr_t kClose = std::uintptr_t{1} << 30;
constexpr std::uintptr_t kApart = std::uintptr_t{1} << 20;
constexpr std::size_t kAreaBytes = std::size_t{1} << 18;

// Memory for copies. One area serves the code around it.
struct Area {
  std::byte* begin = nullptr;
  std::size_t used = 0;
};
constexpr int kMostAreas = 256;
Area areas[kMostAreas];
int area_count = 0;

bool is_close(const std::byte* area, const std::byte* code) {
  const auto distance =
      reinterpret_cast<std::uintptr_t>(area) - reinterpret_cast<std::uintptr_t>(code);
  return distance < kClose || -distance < kClose;
}

std::byte* map_near(const std::byte* code) {
  const auto from = reinterpret_cast<std::uintptr_t>(code);
  for (std::uintptr_t away = kApart; away + kApart < kClose && away < from; away += kApart) {
    void* const wanted = reinterpret_cast<void*>((from - away) / kApart * kApart);
    void* const got = mmap(wanted, kAreaBytes, PROT_READ | PROT_EXEC,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == wanted) return static_cast<std::byte*>(got);
    if (got != MAP_FAILED) munmap(got, kAreaBytes);
  }
  return nullptr;
}

Area* area_near(const std::byte* code, std::size_t bytes) {
  for (Area& area : std::span(areas, static_cast<std::size_t>(area_count)))
    if (is_close(area.begin, code) && area.used + bytes <= kAreaBytes) return &area;
  if (area_count == kMostAreas) return nullptr;
  std::byte* const begin = map_near(code);
  if (begin == nullptr) return nullptr;
  areas[area_count] = {begin, 0};
  return &areas[area_count++];
}

// Writes code into an area.
class Writer {
 public:
  static constexpr std::size_t kMostBytes = 1024;

  explicit Writer(const std::byte* near) : area_(area_near(near, kMostBytes)) {
    if (area_ != nullptr) mprotect(area_->begin, kAreaBytes, PROT_READ | PROT_WRITE);
  }
  ~Writer() {
    if (area_ == nullptr) return;
    area_->used = (area_->used + 15) / 16 * 16;
    mprotect(area_->begin, kAreaBytes, PROT_READ | PROT_EXEC);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  explicit operator bool() const { return area_ != nullptr; }

  std::byte* here() const { return area_->begin + area_->used; }
  void put(const void* bytes, std::size_t count) {
    std::memcpy(here(), bytes, count);
    area_->used += count;
  }
  void put(std::initializer_list<unsigned char> bytes) { put(bytes.begin(), bytes.size()); }
  void put_word(const void* word) { put(&word, sizeof word); }
  void jump_to(const void* there) {
    put({0xff, 0x25, 0, 0, 0, 0});  // jmp *0(%rip)
    put_word(there);
  }
  void copy(const std::byte* from, std::size_t length, std::size_t distance_at) {
    std::byte* const to = here();
    put(from, length);
    if (distance_at == 0) return;
    std::int32_t distance = 0;
    std::memcpy(&distance, to + distance_at, sizeof distance);
    distance += static_cast<std::int32_t>(from - to);
    std::memcpy(to + distance_at, &distance, sizeof distance);
  }
  void put_distance(const std::byte* to) {
    const auto distance = static_cast<std::int32_t>(to - (here() + sizeof(std::int32_t)));
    put(&distance, sizeof distance);
  }
  void copy(const FunctionCode::Instruction& one) {
    using Flow = FunctionCode::Instruction::Flow;
    switch (one.flow) {
      case Flow::branch:
        put({0x0f, static_cast<unsigned char>(0x80 | one.condition)});
        return put_distance(one.target);
      case Flow::jump: put({0xe9}); return put_distance(one.target);
      case Flow::call:                  // comes back to where it would have come back
        put({0xff, 0x35, 6, 0, 0, 0});  // push
        put({0xff, 0x25, 8, 0, 0, 0});  // jmp
        put_word(one.at + one.length);
        return put_word(one.target);
      default: return copy(one.at, one.length, one.distance);
    }
  }
  void ask(Hidden& hidden) {
    put({0x48, 0x8d, 0x64, 0x24, 0x80});  // lea -128(%rsp), %rsp: below the red zone
    put({0xff, 0x35, 12, 0, 0, 0});       // push: the return address, for who unwinds
    put({0xff, 0x35, 14, 0, 0, 0});       // push: the instruction
    put({0xff, 0x25, 16, 0, 0, 0});       // jmp
    put_word(hidden.next());
    put_word(&hidden);
    put_word(plumb_stub_entry);
  }

 private:
  Area* area_;
};

Hidden* find(std::span<Hidden> all, const std::byte* at) {
  const auto found = std::ranges::find(all, at, &Hidden::at);
  return found == all.end() || found->kind == Hidden::Kind::entry ? nullptr : &*found;
}

const void* write_copy(Writer& writer, const Hidden& hidden, std::size_t distance_at,
                       const void* next) {
  const std::byte* const begin = writer.here();
  writer.copy(hidden.at, hidden.length, distance_at);
  writer.jump_to(next);
  return begin;
}

}  // namespace

std::byte* make_stub(std::span<const FunctionCode::Instruction> group, std::span<Hidden> hidden) {
  if (!KeptVectors::are_known()) return nullptr;
  Writer writer(group.front().at);
  if (!writer) return nullptr;
  std::byte* const begin = writer.here();
  for (const FunctionCode::Instruction& one : group) {
    Hidden* const found = find(hidden, one.at);
    if (found != nullptr) {
      writer.ask(*found);
      found->copy = writer.here();
      found->in_copy = one.at != group.front().at;
    }
    writer.copy(one);
    if (found != nullptr) found->after = writer.here();
  }
  writer.jump_to(group.back().at + group.back().length);
  for (const FunctionCode::Instruction& one : group) {
    if (Hidden* const found = find(hidden, one.at))
      found->alone = write_copy(writer, *found, one.distance, plumb_run_copy_back);
  }
  return begin;
}

void make_copy(Hidden& hidden, std::size_t distance_at) {
  hidden.after = hidden.next();
  Writer writer(hidden.at);
  if (!writer) return;
  hidden.copy = write_copy(writer, hidden, distance_at, hidden.next());
  hidden.alone = write_copy(writer, hidden, distance_at, plumb_run_copy_back);
}

// Where all stubs begin. What is called uses no more of the vector registers than is kept here, or
// keeps them itself (KeptVectors). The program's stack has, from above: 128 bytes that it may use,
// the return address, the instruction. The directives lead who unwinds from here to the program.
asm(R"(
.text
.p2align 4
.globl plumb_stub_entry
.hidden plumb_stub_entry
.type plumb_stub_entry, @function
plumb_stub_entry:
.cfi_startproc
  .cfi_def_cfa %rsp, 144
  .cfi_offset %rip, -136
  pushfq
  .cfi_adjust_cfa_offset 8
  leaq -128(%rsp), %rsp
  .cfi_adjust_cfa_offset 128
  movq %rax, 0(%rsp)
  movq %rcx, 8(%rsp)
  movq %rdx, 16(%rsp)
  movq %rbx, 24(%rsp)
  .cfi_offset %rbx, -256
  movq %rbp, 40(%rsp)
  .cfi_offset %rbp, -240
  movq %rsi, 48(%rsp)
  movq %rdi, 56(%rsp)
  movq %r8, 64(%rsp)
  movq %r9, 72(%rsp)
  movq %r10, 80(%rsp)
  movq %r11, 88(%rsp)
  movq %r12, 96(%rsp)
  .cfi_offset %r12, -184
  movq %r13, 104(%rsp)
  .cfi_offset %r13, -176
  movq %r14, 112(%rsp)
  .cfi_offset %r14, -168
  movq %r15, 120(%rsp)
  .cfi_offset %r15, -160
  leaq 280(%rsp), %rax
  movq %rax, 32(%rsp)
  movq %rsp, %rdi
  movq 136(%rsp), %rsi
  movq %rsp, %rbx
  .cfi_def_cfa_register %rbx
  cld
  subq $264, %rsp
  andq $-16, %rsp
  movups %xmm0, 0(%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  movups %xmm8, 128(%rsp)
  movups %xmm9, 144(%rsp)
  movups %xmm10, 160(%rsp)
  movups %xmm11, 176(%rsp)
  movups %xmm12, 192(%rsp)
  movups %xmm13, 208(%rsp)
  movups %xmm14, 224(%rsp)
  movups %xmm15, 240(%rsp)
  callq plumb_on_stub
  movq %rax, 136(%rbx)
  movups 0(%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  movups 128(%rsp), %xmm8
  movups 144(%rsp), %xmm9
  movups 160(%rsp), %xmm10
  movups 176(%rsp), %xmm11
  movups 192(%rsp), %xmm12
  movups 208(%rsp), %xmm13
  movups 224(%rsp), %xmm14
  movups 240(%rsp), %xmm15
  movq %rbx, %rsp
  .cfi_def_cfa_register %rsp
  movq 0(%rsp), %rax
  movq 8(%rsp), %rcx
  movq 16(%rsp), %rdx
  movq 24(%rsp), %rbx
  movq 40(%rsp), %rbp
  movq 48(%rsp), %rsi
  movq 56(%rsp), %rdi
  movq 64(%rsp), %r8
  movq 72(%rsp), %r9
  movq 80(%rsp), %r10
  movq 88(%rsp), %r11
  movq 96(%rsp), %r12
  movq 104(%rsp), %r13
  movq 112(%rsp), %r14
  movq 120(%rsp), %r15
  leaq 128(%rsp), %rsp
  popfq
  leaq 144(%rsp), %rsp
  jmpq *-144(%rsp)
.cfi_endproc
.size plumb_stub_entry, . - plumb_stub_entry
)");

}  // namespace plumb::runtime
