// SPDX-License-Identifier: Apache-2.0
// Drops frames whose source address is on the list of the accelerator ip_blacklist, and those that
// may hide an IPv4 packet from it; the others leave by the other one of two MAC ports.
#include "rpu.h"

#define IS_LISTED 1u
#define MAY_HIDE 4u // IPv4 after several VLAN tags, MPLS, PPPoE, SNAP and the like, or cut off

int main(void) {
    for (;;) {
        rpu_packet packet = rpu_receive();
        if (RPU_VERDICT(packet) & (IS_LISTED | MAY_HIDE))
            rpu_drop(packet);
        else
            rpu_send(packet ^ RPU_PORT_BIT);
    }
}
