// SPDX-License-Identifier: Apache-2.0
// Sends every frame out of the other one of two MAC ports.
#include "rpu.h"

int main(void) {
    for (;;) rpu_send(rpu_receive() ^ RPU_PORT_BIT);
}
