// SPDX-License-Identifier: Apache-2.0
/* SPDX-License-Identifier: Apache-2.0
 * Processing elements from C11: start a kernel, wait for it, and access its memory, over any
 * register port: a board's, or that of a simulator (bombus_sim.h), whose functions fit:
 *
 *   int read(void *sim, uint32_t address, uint32_t *value) {
 *     return bombus_read_register(sim, address, value);
 *   }
 *
 * Functions return 0 or more, or a negative errno value: those of the port, and
 *   -EINVAL     no such argument, or address beyond 32 bits of window and word
 *   -EBUSY      the kernel runs
 *   -ETIMEDOUT  the kernel still runs at the limit; it may be waited for again
 * Addresses of registers are those of <design>_registers.h:
 * offsetof(<design>_t, tiles.<tile>.pe). Not for several threads. */
#ifndef BOMBUS_PE_H_
#define BOMBUS_PE_H_

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  void *context; /* given to the functions */
  int (*read)(void *context, uint32_t address, uint32_t *value);
  int (*write)(void *context, uint32_t address, uint32_t value);
  /* Until the interrupt line of an element is high, or -ETIMEDOUT at a limit in units of the
   * caller. Returns early without harm. NULL: `pending` is read, limit times. */
  int (*await)(void *context, const char *line, uint64_t limit);
} bombus_pe_port;

typedef struct {
  const bombus_pe_port *port;
  const char *line;       /* for port->await; NULL: the element has no interrupt line */
  uint32_t registers;     /* address of its layer pe */
  uint32_t num_arguments; /* of 64 bits */
  uint32_t memory;        /* address of its layer pe_memory; unused without a memory */
  uint32_t window_words;  /* of the layer pe_memory; 0: no memory */
} bombus_pe;

enum {
  BOMBUS_PE_CONTROL = 0x00,
  BOMBUS_PE_GLOBAL_INTERRUPT = 0x04,
  BOMBUS_PE_INTERRUPT_ENABLE = 0x08,
  BOMBUS_PE_PENDING = 0x0C,
  BOMBUS_PE_RESULT = 0x10,
  BOMBUS_PE_CYCLES = 0x18,
  BOMBUS_PE_ARGUMENT = 0x20,
  BOMBUS_PE_ARGUMENT_STRIDE = 0x10,
  BOMBUS_PE_WORD = 0x04, /* of the layer pe_memory, after the window */
  BOMBUS_PE_START = 1, /* bits of the control register */
  BOMBUS_PE_STOP = 2,
  BOMBUS_PE_IDLE = 4,
};

static inline int bombus_pe_read32(const bombus_pe *pe, uint32_t offset, uint32_t *value) {
  return pe->port->read(pe->port->context, pe->registers + offset, value);
}

static inline int bombus_pe_write32(const bombus_pe *pe, uint32_t offset, uint32_t value) {
  return pe->port->write(pe->port->context, pe->registers + offset, value);
}

static inline int bombus_pe_read64(const bombus_pe *pe, uint32_t offset, uint64_t *value) {
  uint32_t low, high;
  int status = bombus_pe_read32(pe, offset, &low); /* captures the upper word */
  if (status >= 0) status = bombus_pe_read32(pe, offset + 4, &high);
  if (status >= 0) *value = (uint64_t)high << 32 | low;
  return status;
}

/* 1: the kernel runs. */
static inline int bombus_pe_runs(const bombus_pe *pe) {
  uint32_t control;
  const int status = bombus_pe_read32(pe, BOMBUS_PE_CONTROL, &control);
  return status < 0 ? status : !(control & BOMBUS_PE_IDLE);
}

/* Also while the kernel runs. */
static inline int bombus_pe_set_argument(const bombus_pe *pe, uint32_t number, uint64_t value) {
  if (number >= pe->num_arguments) return -EINVAL;
  const uint32_t offset = BOMBUS_PE_ARGUMENT + BOMBUS_PE_ARGUMENT_STRIDE * number;
  const int status = bombus_pe_write32(pe, offset, (uint32_t)value);
  return status < 0 ? status : bombus_pe_write32(pe, offset + 4, (uint32_t)(value >> 32));
}

/* Clears the pending interrupt; 1: there was one. */
static inline int bombus_pe_acknowledge(const bombus_pe *pe) {
  uint32_t pending;
  const int status = bombus_pe_read32(pe, BOMBUS_PE_PENDING, &pending);
  if (status < 0 || !(pending & 1)) return status < 0 ? status : 0;
  const int written = bombus_pe_write32(pe, BOMBUS_PE_PENDING, 1);
  return written < 0 ? written : 1;
}

/* Arguments that are not given keep their values. */
static inline int bombus_pe_start(const bombus_pe *pe, const uint64_t *arguments, uint32_t count) {
  if (count > pe->num_arguments) return -EINVAL;
  int status = bombus_pe_runs(pe);
  if (status != 0) return status < 0 ? status : -EBUSY;
  for (uint32_t n = 0; n < count; ++n) {
    if ((status = bombus_pe_set_argument(pe, n, arguments[n])) < 0) return status;
  }
  if ((status = bombus_pe_acknowledge(pe)) < 0) return status; /* of an earlier run */
  if (pe->line != NULL) {
    if ((status = bombus_pe_write32(pe, BOMBUS_PE_INTERRUPT_ENABLE, 1)) < 0) return status;
    if ((status = bombus_pe_write32(pe, BOMBUS_PE_GLOBAL_INTERRUPT, 1)) < 0) return status;
  }
  status = bombus_pe_write32(pe, BOMBUS_PE_CONTROL, BOMBUS_PE_START);
  return status < 0 ? status : 0;
}

/* Until the run has ended, which it acknowledges. result: the returned value; may be NULL. */
static inline int bombus_pe_wait(const bombus_pe *pe, uint64_t limit, uint64_t *result) {
  if (pe->line != NULL && pe->port->await != NULL) {
    const int status = pe->port->await(pe->port->context, pe->line, limit);
    if (status < 0) return status;
    limit = 0;
  }
  int ended;
  while ((ended = bombus_pe_acknowledge(pe)) == 0 && limit != 0) --limit;
  if (ended <= 0) return ended < 0 ? ended : -ETIMEDOUT;
  uint64_t unused;
  const int status = bombus_pe_read64(pe, BOMBUS_PE_RESULT, result != NULL ? result : &unused);
  return status < 0 ? status : 0;
}

/* Stops the kernel, and reads up to limit times whether it is idle. 1: a run was stopped; 0: none
 * ran, or it had ended. -ETIMEDOUT: it still runs. */
static inline int bombus_pe_stop(const bombus_pe *pe, uint64_t limit) {
  const int ran = bombus_pe_runs(pe);
  if (ran < 0) return ran;
  int status = bombus_pe_write32(pe, BOMBUS_PE_CONTROL, BOMBUS_PE_STOP);
  while (status >= 0 && (status = bombus_pe_runs(pe)) > 0) {
    if (limit-- == 0) return -ETIMEDOUT;
  }
  if (status < 0) return status;
  const int ended = bombus_pe_acknowledge(pe);
  return ended < 0 ? ended : ran && !ended;
}

/* Duration of the last run, in cycles from its start to its end. */
static inline int bombus_pe_cycles(const bombus_pe *pe, uint64_t *cycles) {
  const int status = bombus_pe_read64(pe, BOMBUS_PE_CYCLES, cycles);
  return status < 0 ? status : 0;
}

/* Starts the first of `elements` that does not run, and returns its index. -EBUSY: all run. */
static inline int bombus_pe_start_free(const bombus_pe *elements, uint32_t count,
                                       const uint64_t *arguments, uint32_t num_arguments) {
  for (uint32_t n = 0; n < count; ++n) {
    const int status = bombus_pe_start(&elements[n], arguments, num_arguments);
    if (status != -EBUSY) return status < 0 ? status : (int)n;
  }
  return -EBUSY;
}

/* ---- Memory: addresses and numbers of bytes are multiples of 4 ---- */

/* The register of a word of the memory; moves the window if the word is its first one. */
static inline int bombus_pe_show(const bombus_pe *pe, uint64_t address, int moves,
                                 uint32_t *at) {
  const uint64_t word = address / 4;
  if (pe->window_words == 0 || address % 4 != 0) return -EINVAL;
  const uint64_t position = word / pe->window_words;
  const uint32_t index = (uint32_t)(word % pe->window_words);
  if (position > UINT32_MAX) return -EINVAL;
  *at = pe->memory + BOMBUS_PE_WORD + 4 * index;
  if (!moves && index != 0) return 0;
  return pe->port->write(pe->port->context, pe->memory, (uint32_t)position);
}

static inline int bombus_pe_write(const bombus_pe *pe, uint64_t address, const void *data,
                                  size_t size) {
  const uint8_t *bytes = (const uint8_t *)data;
  if (size % 4 != 0) return -EINVAL;
  for (size_t n = 0; n < size; n += 4) {
    uint32_t at;
    int status = bombus_pe_show(pe, address + n, n == 0, &at);
    const uint32_t word = bytes[n] | (uint32_t)bytes[n + 1] << 8 | (uint32_t)bytes[n + 2] << 16 |
                          (uint32_t)bytes[n + 3] << 24;
    if (status >= 0) status = pe->port->write(pe->port->context, at, word);
    if (status < 0) return status;
  }
  return 0;
}

static inline int bombus_pe_read(const bombus_pe *pe, uint64_t address, void *data, size_t size) {
  uint8_t *bytes = (uint8_t *)data;
  if (size % 4 != 0) return -EINVAL;
  for (size_t n = 0; n < size; n += 4) {
    uint32_t at, word;
    int status = bombus_pe_show(pe, address + n, n == 0, &at);
    if (status >= 0) status = pe->port->read(pe->port->context, at, &word);
    if (status < 0) return status;
    for (unsigned k = 0; k < 4; ++k) bytes[n + k] = (uint8_t)(word >> 8 * k);
  }
  return 0;
}

#endif
