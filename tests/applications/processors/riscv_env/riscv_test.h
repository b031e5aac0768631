// SPDX-License-Identifier: Apache-2.0
/* Environment of the riscv-tests on a packet processor: the program is main, behind start.S. */
#ifndef RISCV_TEST_H
#define RISCV_TEST_H

#include "suite_end.h"

#define RVTEST_RV32U
#define TESTNUM gp

#define RVTEST_CODE_BEGIN \
    .text; \
    .globl main; \
main:
#define RVTEST_CODE_END

#define RVTEST_PASS \
    li a0, 1; \
    SUITE_ENDS(a0)
#define RVTEST_FAIL \
    slli a0, TESTNUM, 1; \
    ori a0, a0, 1; \
    SUITE_ENDS(a0)

#define RVTEST_DATA_BEGIN .balign 4;
#define RVTEST_DATA_END

#endif
