// SPDX-License-Identifier: Apache-2.0
/* Environment of the architectural tests (riscv-arch-test) on a packet processor: the program is main,
   behind start.S. case.h has the macros that the case of a file asks for. */
#ifndef MODEL_TEST_H
#define MODEL_TEST_H

#include "suite_end.h"
#include "case.h"

/* Code cannot be stored to: there is nothing to wait for. */
#define RVMODEL_FENCEI nop

#define RVMODEL_BOOT \
    .globl main; \
main:

#define RVMODEL_DATA_BEGIN .balign 4
#define RVMODEL_DATA_END

#define RVMODEL_HALT \
    la a0, rvtest_sig_begin; \
    la a1, rvtest_sig_end; \
    li a2, SUITE_SIGNATURE; \
6:  lw a3, 0(a0); \
    sw a3, 0(a2); \
    addi a0, a0, 4; \
    bltu a0, a1, 6b; \
    li a0, 1; \
    SUITE_ENDS(a0)

/* The signature is compared: no check and no text within the program. */
#define RVMODEL_IO_ASSERT_GPR_EQ(place, register, value)
#define RVMODEL_IO_WRITE_STR(place, text)

/* Privilege modes, which the trap handlers compare; clang's assembler needs numbers. */
.set M, 3
.set S, 1
.set V, 2

#define RVMODEL_SET_MSW_INT
#define RVMODEL_CLEAR_MSW_INT
#define RVMODEL_CLEAR_MTIMER_INT
#define RVMODEL_CLEAR_MEXT_INT

#endif
