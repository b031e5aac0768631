// SPDX-License-Identifier: Apache-2.0
// Answers datagrams with at most three exclamation marks; byte_count counts them.
#include "rpu.h"

int main(void) {
    RPU_ACCELERATOR[0] = '!';
    for (;;) {
        rpu_packet packet = rpu_receive();
        if (rpu_window(packet)->verdict > 3) {
            rpu_drop(packet);
            continue;
        }
        volatile struct rpu_window *window = rpu_window(packet);
        uint32_t ports = window->meta[0];
        window->meta[0] = ports << 16 | ports >> 16;
        rpu_send(packet);
    }
}
