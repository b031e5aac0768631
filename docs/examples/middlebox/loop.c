// SPDX-License-Identifier: Apache-2.0
// Frames from port 0 pass two processors: through port 2, the loop, to the second one, then out by
// port 1. Those from port 1 leave by port 0.
#include "rpu.h"

int main(void) {
    for (;;) {
        rpu_packet packet = rpu_receive();
        switch (RPU_PORT(packet)) {
        case 0:
            rpu_send(packet ^ 2 * RPU_PORT_BIT);
            break;
        case 2:
            rpu_send(packet ^ 3 * RPU_PORT_BIT);
            break;
        default:
            rpu_send(packet ^ RPU_PORT_BIT);
        }
    }
}
