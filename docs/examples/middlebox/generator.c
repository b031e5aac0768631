// SPDX-License-Identifier: Apache-2.0
// Packet generator: sends numbered frames out of port 0, and counts the frames that come in.
//
// Messages of the host: LENGTH, bytes of a frame, 20 to RPU_SLOT_BYTES; GAP, cycles from frame to
// frame, 0: as fast as possible; COUNT, number of frames, which starts them. The program reports
// how many frames have come in since then; these are dropped.
#include "frames.h"

enum { LENGTH = 1, GAP = 2, COUNT = 3 };
#define BURST 16u // frames between two looks at what has come

int main(void) {
    uint32_t length = 60, gap = 0, left = 0, number = 0, next = 0, received = 0, word;
    rpu_packet packet, ready = 0; // ready: the next frame's slot, held while its time has not come
    prepare_all();
    for (;;) {
        if ((packet = rpu_poll())) {
            rpu_report(++received);
            prepare(packet, RPU_LENGTH(packet));
            rpu_drop(packet);
        }
        switch (rpu_message(&word)) {
        case LENGTH:
            length = word;
            break;
        case GAP:
            gap = word;
            break;
        case COUNT:
            left = word;
            next = rpu_cycles();
            rpu_report(number = received = 0);
            break;
        }
        for (unsigned n = BURST; n && left; n--) {
            if (!ready && !(ready = rpu_empty())) break;
            if (gap && (int32_t)(rpu_cycles() - next) < 0) break;
            rpu_window(ready)->header[OWN_WORD] = number++;
            rpu_send(ready | length);
            ready = 0;
            next += gap;
            left--;
        }
    }
}
