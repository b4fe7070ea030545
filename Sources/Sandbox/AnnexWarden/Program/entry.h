// The first instructions of a freestanding program. They call `start` with the stack that the kernel left. Exactly
// one file of each program includes this header.
#ifndef ANNEX_ENTRY_H
#define ANNEX_ENTRY_H

#include <stdint.h>

__attribute__((used)) _Noreturn void start(const uint64_t *stack);

#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n xor %ebp, %ebp\n mov %rsp, %rdi\n and $-16, %rsp\n call start\n ud2\n");
#else
__asm__(".globl _start\n_start:\n mov x29, #0\n mov x30, #0\n mov x0, sp\n bl start\n brk #0\n");
#endif

#endif
