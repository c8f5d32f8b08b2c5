// SPDX-License-Identifier: MIT
#include "runtime/unseen/run_copy.hpp"

namespace plumb::runtime {

// `mov` leaves the flags as they are. The program's stack is not written to: below its pointer a
// function may keep something (the red zone).
asm(R"(
.pushsection .bss
.p2align 3
.local plumb_copy_code
plumb_copy_code: .skip 8
.local plumb_copy_registers
plumb_copy_registers: .skip 8
.local plumb_copy_stack
plumb_copy_stack: .skip 8
.popsection
.text
.p2align 4
.globl plumb_run_copy
.hidden plumb_run_copy
.type plumb_run_copy, @function
plumb_run_copy:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  pushfq
  movq %rdi, plumb_copy_registers(%rip)
  movq %rsi, plumb_copy_code(%rip)
  movq %rsp, plumb_copy_stack(%rip)
  pushq 128(%rdi)
  popfq
  movq 0(%rdi), %rax
  movq 8(%rdi), %rcx
  movq 16(%rdi), %rdx
  movq 24(%rdi), %rbx
  movq 32(%rdi), %rsp
  movq 40(%rdi), %rbp
  movq 48(%rdi), %rsi
  movq 64(%rdi), %r8
  movq 72(%rdi), %r9
  movq 80(%rdi), %r10
  movq 88(%rdi), %r11
  movq 96(%rdi), %r12
  movq 104(%rdi), %r13
  movq 112(%rdi), %r14
  movq 120(%rdi), %r15
  movq 56(%rdi), %rdi
  jmpq *plumb_copy_code(%rip)
.globl plumb_run_copy_back
.hidden plumb_run_copy_back
plumb_run_copy_back:
  movq plumb_copy_stack(%rip), %rsp
  pushq %rdi
  movq plumb_copy_registers(%rip), %rdi
  movq %rax, 0(%rdi)
  movq %rcx, 8(%rdi)
  movq %rdx, 16(%rdi)
  movq %rbx, 24(%rdi)
  movq %rbp, 40(%rdi)
  movq %rsi, 48(%rdi)
  movq %r8, 64(%rdi)
  movq %r9, 72(%rdi)
  movq %r10, 80(%rdi)
  movq %r11, 88(%rdi)
  movq %r12, 96(%rdi)
  movq %r13, 104(%rdi)
  movq %r14, 112(%rdi)
  movq %r15, 120(%rdi)
  popq 56(%rdi)
  pushfq
  popq 128(%rdi)
  popfq
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size plumb_run_copy, . - plumb_run_copy
)");

}  // namespace plumb::runtime
