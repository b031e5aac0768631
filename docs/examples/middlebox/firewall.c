// SPDX-License-Identifier: Apache-2.0
// Drops frames whose source address is on the list of the accelerator ip_blacklist; the others leave by
// the other one of two MAC ports.
#include "rpu.h"

int main(void) {
    for (;;) {
        rpu_packet packet = rpu_receive();
        if (RPU_VERDICT(packet) & 1)
            rpu_drop(packet);
        else
            rpu_send(packet ^ RPU_PORT_BIT);
    }
}
