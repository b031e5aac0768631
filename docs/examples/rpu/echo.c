// SPDX-License-Identifier: Apache-2.0
// Sends every datagram back to its sender.
#include "rpu.h"

int main(void) {
    for (;;) {
        rpu_packet packet = rpu_receive();
        volatile struct rpu_window *window = rpu_window(packet);
        uint32_t ports = window->meta[0];
        window->meta[0] = ports << 16 | ports >> 16;
        rpu_send(packet);
    }
}
