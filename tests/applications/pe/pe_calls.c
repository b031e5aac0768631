// SPDX-License-Identifier: Apache-2.0
/* SPDX-License-Identifier: Apache-2.0
 * The C interface of processing elements at the simulator of docs/examples/pe/memory.yaml. */
#include <assert.h>
#include <string.h>

#include "bombus_pe.h"
#include "bombus_sim.h"
#include "pe_memory_example_registers.h"

#define BYTES ((uint64_t)1 << 32) /* of a memory */
#define REGISTERS(layer) (uint32_t)offsetof(pe_memory_example_t, tiles.layer)

static int port_error; /* that the port returns */
static unsigned early; /* returns of `await` before the line is high */
static unsigned awaits;
static int receive_error;
static uint8_t answer_status; /* instead of that of the layer pe_dma; 0: that one */
static uint32_t counts_up = UINT32_MAX, ups; /* a register that seems to count reads */

static int read(void *sim, uint32_t address, uint32_t *value) {
  const int status = port_error ? port_error : bombus_read_register(sim, address, value);
  if (address == counts_up) *value += ups++;
  return status;
}

static int write(void *sim, uint32_t address, uint32_t value) {
  return port_error ? port_error : bombus_write_register(sim, address, value);
}

static int await(void *sim, const char *line, uint64_t *left) {
  ++awaits;
  if (port_error) return port_error;
  if (early > 0) {
    --early;
    return 0;
  }
  const uint64_t start = bombus_cycle(sim);
  const int status = bombus_advance_until_pin(sim, &line, 1, *left);
  *left -= bombus_cycle(sim) - start;
  return status;
}

static int send(void *sim, const char *stream, const uint8_t *data, size_t size) {
  return port_error ? port_error : bombus_send_message(sim, stream, data, size, NULL, 0);
}

static int receive(void *sim, const char *stream, uint8_t *data, size_t *size) {
  const int status = bombus_await_message(sim, stream, 1000);
  if (status < 0) return status;
  const int received = bombus_receive_message(sim, stream, data, *size, NULL, 0, size);
  if (received >= 0 && answer_status) data[*size - 1] = answer_status;
  return receive_error ? receive_error : received;
}

int main(void) {
  bombus_sim *sim = bombus_open(NULL);
  const bombus_pe_port port = {sim, read, write, await, send, receive};
  const bombus_pe elements[] = {
      {&port, "sum_done_0_o", REGISTERS(sum_0.pe), 2, REGISTERS(sum_0.pe_memory), 256, BYTES,
       {"sum_in_0", "sum_out_0", 64}},
      {&port, NULL, REGISTERS(sum_1.pe), 2, REGISTERS(sum_1.pe_memory), 256, BYTES,
       {NULL, NULL, 0}}, /* polled, by registers */
      {&port, NULL, REGISTERS(sum_1.pe), 2, 0, 0, 0, {NULL, NULL, 0}}, /* no memory */
  };
  const bombus_pe fill = /* of another kind */
      {&port, "fill_done_o", REGISTERS(fill.pe), 3, REGISTERS(fill.pe_memory), 256, BYTES,
       {NULL, NULL, 0}};
  const uint64_t some[] = {64, 128, 3}, none[] = {0, 0}, all[] = {0, 1 << 20};
  uint8_t data[2048], found[2048];
  uint64_t result, cycles, sum = 0;
  for (unsigned n = 0; n < sizeof data; ++n) data[n] = (uint8_t)(n * 7 + n / 256);
  for (unsigned n = 64; n < 64 + 128; ++n) sum += (uint64_t)data[n] << 8 * (n % 4);

  for (unsigned e = 0; e < 2; ++e) {
    const bombus_pe *pe = &elements[e];
    /* Across the end of a window, and that of the first one. */
    assert(bombus_pe_write(pe, 0, data, sizeof data) == 0);
    assert(bombus_pe_read(pe, 0, found, sizeof found) == 0);
    assert(memcmp(found, data, sizeof data) == 0);
    assert(bombus_pe_read(pe, 1020, found, 8) == 0);
    assert(memcmp(found, data + 1020, 8) == 0);

    assert(bombus_pe_runs(pe) == 0);
    assert(bombus_pe_acknowledge(pe) == 0);
    assert(bombus_pe_wait(pe, 20, NULL) == -ETIMEDOUT);
    assert(bombus_pe_start(pe, some, 3) == -EINVAL);
    assert(bombus_pe_set_argument(pe, 2, 0) == -EINVAL);
    assert(bombus_pe_start(pe, some, 2) == 0);
    assert(bombus_pe_wait(pe, 1000, &result) == 0);
    assert(result == sum);
    assert(bombus_pe_cycles(pe, &cycles) == 0);
    assert(cycles > 2 && cycles < 100);
    assert(bombus_pe_acknowledge(pe) == 0); /* wait has done so */
    assert(bombus_pe_start(pe, NULL, 0) == 0); /* the same arguments */
    assert(bombus_pe_wait(pe, 1000, &result) == 0);
    assert(result == sum);

    assert(bombus_pe_start(pe, all, 2) == 0);
    assert(bombus_pe_runs(pe) == 1);
    assert(bombus_pe_start(pe, none, 2) == -EBUSY);
    assert(bombus_pe_wait(pe, 10, &result) == -ETIMEDOUT);
    assert(bombus_pe_wait(pe, 1000000, &result) == 0);

    assert(bombus_pe_stop(pe, 0) == 0); /* it does not run */
    assert(bombus_pe_start(pe, all, 2) == 0);
    assert(bombus_pe_stop(pe, 0) == -ETIMEDOUT);
    assert(bombus_pe_stop(pe, 1000) == 1);
    assert(bombus_pe_runs(pe) == 0);
    assert(bombus_pe_wait(pe, 20, NULL) == -ETIMEDOUT); /* no interrupt */
    assert(bombus_pe_start(pe, some, 2) == 0);
    assert(bombus_pe_wait(pe, 1000, &result) == 0);
    assert(result == sum);
    port_error = -EIO;
    assert(bombus_pe_stop(pe, 1) == -EIO);
    assert(bombus_pe_start(pe, none, 2) == -EIO);
    assert(bombus_pe_wait(pe, 0, NULL) == -EIO);
    assert(bombus_pe_runs(pe) == -EIO);
    assert(bombus_pe_acknowledge(pe) == -EIO);
    assert(bombus_pe_cycles(pe, &cycles) == -EIO);
    assert(bombus_pe_read(pe, 0, found, 4) == -EIO);
    assert(bombus_pe_write(pe, 0, data, 4) == -EIO);
    port_error = 0;
  }
  assert(bombus_pe_start_free(elements, 2, all, 2) == 0);
  assert(bombus_pe_start_free(elements, 2, all, 2) == 1);
  assert(bombus_pe_start_free(elements, 2, all, 2) == -EBUSY);
  assert(bombus_pe_start_free(&fill, 1, some, 3) == 0);
  assert(bombus_pe_wait(&fill, 1000, &result) == 0);
  assert(result == some[1]);
  assert(bombus_pe_read(&fill, some[0] + some[1] - 4, found, 8) == 0);
  assert(memcmp(found, (const uint8_t[]){3, 0, 0, 0, 0, 0, 0, 0}, 8) == 0);
  assert(bombus_pe_write(&elements[1], 2, data, 4) == -EINVAL);
  assert(bombus_pe_write(&elements[1], 0, data, 3) == -EINVAL);
  for (uint64_t beyond = BYTES; beyond != 0; beyond <<= 1) {
    assert(bombus_pe_read(&elements[0], beyond, found, 4) == -ERANGE);
    assert(bombus_pe_write(&elements[0], beyond - 4, data, 8) == -ERANGE);
  }
  assert(bombus_pe_read(&elements[0], 0, found, 4) == 0);
  assert(memcmp(found, data, 4) == 0); /* none has written to another address */
  assert(bombus_pe_read(&elements[0], (uint64_t)0 - 4, found, 8) == -ERANGE);
  assert(bombus_pe_read(&elements[0], BYTES - 4, found, 4) == 0);
  assert(bombus_pe_read(&elements[2], 0, found, 4) == -EINVAL);
  counts_up = elements[1].memory + BOMBUS_PE_FAILED;
  assert(bombus_pe_read(&elements[1], 0, found, 4) == -EIO);
  assert(bombus_pe_write(&elements[1], 0, data, 4) == -EIO);
  counts_up = UINT32_MAX;
  /* By streams: any address and length, and several messages; registers show the same bytes. */
  static uint8_t large[3 * BOMBUS_PE_PIECE + 7], copied[sizeof large];
  for (unsigned n = 0; n < sizeof large; ++n) large[n] = (uint8_t)(n * 13 + n / 256);
  assert(bombus_pe_write(&elements[0], 0x10003, large, sizeof large) == 0);
  assert(bombus_pe_read(&elements[0], 0x10003, copied, sizeof copied) == 0);
  assert(memcmp(copied, large, sizeof large) == 0);
  assert(bombus_pe_read(&elements[0], BYTES - 1, found, 1) == 0);
  assert(bombus_pe_read(&elements[0], 5, found, 0) == 0);
  bombus_pe registers = elements[0];
  registers.dma.in = NULL;
  assert(bombus_pe_read(&registers, 0x10004, copied, 4096) == 0);
  assert(memcmp(copied, large + 1, 4096) == 0);
  for (answer_status = 1; answer_status < 4; ++answer_status) {
    assert(bombus_pe_read(&elements[0], 0, found, 4) == -EIO);
    assert(bombus_pe_write(&elements[0], 0, data, 4) == -EIO);
  }
  answer_status = 0;
  receive_error = -ETIMEDOUT;
  assert(bombus_pe_read(&elements[0], 0, found, 4) == -ETIMEDOUT);
  receive_error = 0;
  bombus_pe wide = elements[0];
  wide.dma.beat_bytes = 2 * BOMBUS_PE_MOST_BEAT;
  assert(bombus_pe_read(&wide, 0, found, 4) == -EINVAL);
  /* Early returns of `await`: each takes one cycle of the limit. */
  assert(bombus_pe_wait(&elements[0], 1000000, &result) == 0);
  early = 5, awaits = 0;
  assert(bombus_pe_start(&elements[0], all, 2) == 0);
  assert(bombus_pe_wait(&elements[0], 1000000, &result) == 0);
  assert(awaits == 6 && early == 0);
  early = 100, awaits = 0;
  assert(bombus_pe_start(&elements[0], all, 2) == 0);
  assert(bombus_pe_wait(&elements[0], 50, &result) == -ETIMEDOUT);
  assert(awaits == 50);
  early = 0;
  assert(bombus_pe_wait(&elements[0], 1000000, &result) == 0);
  bombus_close(sim);
  return 0;
}
