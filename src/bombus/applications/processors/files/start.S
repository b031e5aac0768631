# SPDX-License-Identifier: Apache-2.0
# What runs before main: stack, zeroed variables, a place for traps to end in.
    .section .text.start, "ax"
    .globl _start
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, __stack_top
    la t0, trap_handler
    csrw mtvec, t0
    la t0, __bss_start
    la t1, __bss_end
    j 2f
1:  sw zero, 0(t0)
    addi t0, t0, 4
2:  bltu t0, t1, 1b
    call main
3:  j 3b

# Firmware may have a trap_handler of its own; it ends with mret.
    .weak trap_handler
    .balign 4
trap_handler:
    j trap_handler
