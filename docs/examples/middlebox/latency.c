// SPDX-License-Identifier: Apache-2.0
// Measures latency: sends a frame with the time out of port 0 at intervals, and takes the time when
// it comes back by any port, through a cable, a switch or another device. Other frames are dropped.
//
// Messages of the host: INTERVAL, us from frame to frame, 0: none, which starts a measurement;
// WANTED, one of the values, which the program then reports. Latencies are in cycles.
#include "frames.h"

enum { INTERVAL = 1, WANTED = 2 };
enum { SENT, CAME, LEAST, MOST, LATEST, VALUES };
#define BYTES 60u

static uint32_t value[VALUES];

static void take(rpu_packet packet) {
    uint32_t now = rpu_cycles();
    volatile uint32_t *header = rpu_window(packet)->header;
    if (header[0] == HEADER[0] && header[3] == HEADER[3]) {
        uint32_t latency = now - header[OWN_WORD];
        value[CAME]++;
        value[LATEST] = latency;
        if (latency < value[LEAST]) value[LEAST] = latency;
        if (latency > value[MOST]) value[MOST] = latency;
    }
    prepare(packet, BYTES);
    rpu_drop(packet);
}

int main(void) {
    uint32_t interval = 0, next = 0, word;
    rpu_packet packet, ready = 0; // ready: the next frame, held while its time has not come
    prepare_all();
    for (;;) {
        if ((packet = rpu_poll())) take(packet);
        switch (rpu_message(&word)) {
        case INTERVAL:
            interval = word;
            next = rpu_time() + interval;
            for (unsigned n = 0; n < VALUES; n++) value[n] = n == LEAST ? ~0u : 0;
            if (ready) rpu_drop(ready);
            ready = 0;
            break;
        case WANTED:
            rpu_report(value[word % VALUES]);
            break;
        }
        if (!ready && interval) ready = rpu_empty();
        if (ready && (int32_t)(rpu_time() - next) >= 0) {
            value[SENT]++;
            rpu_window(ready)->header[OWN_WORD] = rpu_cycles();
            rpu_send(ready | BYTES);
            ready = 0;
            next += interval;
        }
    }
}
