// SPDX-License-Identifier: Apache-2.0
/* SPDX-License-Identifier: Apache-2.0
 * Sums of two buffers, by two processing elements of a simulator, from C. */
#include <stdio.h>

#include "bombus_pe.h"
#include "bombus_sim.h"
#include "pe_memory_example_registers.h" /* of bombus generate */

#define BYTES ((uint64_t)1 << 32) /* of a memory */
#define REGISTERS(layer) (uint32_t)offsetof(pe_memory_example_t, tiles.layer)

static int read(void *sim, uint32_t address, uint32_t *value) {
  return bombus_read_register(sim, address, value);
}

static int write(void *sim, uint32_t address, uint32_t value) {
  return bombus_write_register(sim, address, value);
}

static int await(void *sim, const char *line, uint64_t *left) {
  const uint64_t start = bombus_cycle(sim);
  const int status = bombus_advance_until_pin(sim, &line, 1, *left);
  *left -= bombus_cycle(sim) - start;
  return status;
}

static int send(void *sim, const char *stream, const uint8_t *data, size_t size) {
  return bombus_send_message(sim, stream, data, size, NULL, 0);
}

static int receive(void *sim, const char *stream, uint8_t *data, size_t *size) {
  const int status = bombus_await_message(sim, stream, 1000);
  return status < 0 ? status : bombus_receive_message(sim, stream, data, *size, NULL, 0, size);
}

int main(void) {
  bombus_sim *sim = bombus_open(NULL);
  const bombus_pe_port port = {sim, read, write, await, send, receive};
  const bombus_pe elements[] = {
      {&port, "sum_done_0_o", REGISTERS(sum_0.pe), 2, REGISTERS(sum_0.pe_memory), 256, BYTES,
       {"sum_in_0", "sum_out_0", 64}},
      {&port, "sum_done_1_o", REGISTERS(sum_1.pe), 2, REGISTERS(sum_1.pe_memory), 256, BYTES,
       {"sum_in_1", "sum_out_1", 64}},
  };
  const uint64_t arguments[] = {0x1000, 128}; /* address and bytes */
  uint32_t data[32];
  for (uint32_t n = 0; n < 2; ++n) {
    for (uint32_t k = 0; k < 32; ++k) data[k] = n + k;
    if (bombus_pe_write(&elements[n], 0x1000, data, sizeof data) < 0) return 1;
    if (bombus_pe_start(&elements[n], arguments, 2) < 0) return 1;
  }
  for (uint32_t n = 0; n < 2; ++n) {
    uint64_t sum;
    if (bombus_pe_wait(&elements[n], 10000, &sum) < 0) return 1;
    printf("%llu\n", (unsigned long long)sum);
  }
  bombus_close(sim);
  return 0;
}
