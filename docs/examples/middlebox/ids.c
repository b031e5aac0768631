// SPDX-License-Identifier: Apache-2.0
// Drops frames that an exact rule of rule_matcher is about; the others leave by the other one of two MAC
// ports, also those that only the host can judge.
#include "rpu.h"

#define IS_EXACT 2u

int main(void) {
    for (;;) {
        rpu_packet packet = rpu_receive();
        if (RPU_VERDICT(packet) & IS_EXACT)
            rpu_drop(packet);
        else
            rpu_send(packet ^ RPU_PORT_BIT);
    }
}
