// SPDX-License-Identifier: Apache-2.0
/* SPDX-License-Identifier: Apache-2.0
 * Processing elements from C11: start a kernel, wait for it, and access its memory, over any
 * register port, and any streams of the layer pe_dma: a board's, or those of a simulator
 * (bombus_sim.h), whose functions fit:
 *
 *   int read(void *sim, uint32_t address, uint32_t *value) {
 *     return bombus_read_register(sim, address, value);
 *   }
 *
 * Functions return 0 or more, or a negative errno value: those of the port, and
 *   -EINVAL     no such argument; an element without a memory; by registers: no multiple of 4
 *   -ERANGE     bytes beyond the memory
 *   -EIO        the memory has not answered an access, or with an error
 *   -EBUSY      the kernel runs
 *   -ETIMEDOUT  the kernel still runs at the limit; it may be waited for again
 * Addresses of registers are those of <design>_registers.h:
 * offsetof(<design>_t, tiles.<tile>.pe). Not for several threads. */
#ifndef BOMBUS_PE_H_
#define BOMBUS_PE_H_

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
  void *context; /* given to the functions */
  int (*read)(void *context, uint32_t address, uint32_t *value);
  int (*write)(void *context, uint32_t address, uint32_t value);
  /* Until the interrupt line of an element is high, or -ETIMEDOUT after *left units of the caller;
   * subtracts those that have passed. May return early. NULL: `pending` is read, limit times. */
  int (*await)(void *context, const char *line, uint64_t *left);
  /* For copies by streams: sends a message; waits for one of up to *size bytes, and sets *size. If
   * that fails, its answer must not follow: reset the design. */
  int (*send)(void *context, const char *stream, const uint8_t *data, size_t size);
  int (*receive)(void *context, const char *stream, uint8_t *data, size_t *size);
} bombus_pe_port;

typedef struct {
  const char *in, *out; /* streams copy_in and copy_out as they are raised; NULL: no such layer */
  uint32_t beat_bytes;  /* of both, at most BOMBUS_PE_MOST_BEAT */
} bombus_pe_dma;

typedef struct {
  const bombus_pe_port *port;
  const char *line;       /* for port->await; NULL: the element has no interrupt line */
  uint32_t registers;     /* address of its layer pe */
  uint32_t num_arguments; /* of 64 bits */
  uint32_t memory;        /* address of its layer pe_memory; unused without a memory */
  uint32_t window_words;  /* of the layer pe_memory; 0: no memory */
  uint64_t memory_bytes;  /* 2^addr_width of the layer pe_memory */
  bombus_pe_dma dma;      /* copies by streams; else by registers */
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
  BOMBUS_PE_WINDOW = 0x00, /* of the layer pe_memory */
  BOMBUS_PE_FAILED = 0x04,
  BOMBUS_PE_WORD = 0x08,
  BOMBUS_PE_START = 1, /* bits of the control register */
  BOMBUS_PE_STOP = 2,
  BOMBUS_PE_IDLE = 4,
  BOMBUS_PE_PIECE = 4096, /* bytes of a message of the layer pe_dma, without its header */
  BOMBUS_PE_MOST_BEAT = 128,
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

/* Until the run has ended, which it acknowledges, or for limit units of port->await, of which an
 * early return counts as one at least. result: the returned value; may be NULL. */
static inline int bombus_pe_wait(const bombus_pe *pe, uint64_t limit, uint64_t *result) {
  const int awaits = pe->line != NULL && pe->port->await != NULL;
  int ended;
  while ((ended = bombus_pe_acknowledge(pe)) == 0) {
    const uint64_t before = limit;
    if (limit == 0) return -ETIMEDOUT;
    if (awaits) {
      const int status = pe->port->await(pe->port->context, pe->line, &limit);
      if (status == -ETIMEDOUT) limit = 0; /* a last look at `pending` follows */
      else if (status < 0) return status;
    }
    if (limit >= before) limit = before - 1;
  }
  if (ended < 0) return ended;
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

/* ---- Memory: by registers, addresses and numbers of bytes are multiples of 4 ---- */

/* Accesses by registers that have failed since reset, modulo 2^32. */
static inline int bombus_pe_failed(const bombus_pe *pe, uint32_t *count) {
  return pe->port->read(pe->port->context, pe->memory + BOMBUS_PE_FAILED, count);
}

/* Copies bytes by the table of words: from the memory to `to`, or to it from `from`; the other one
 * is NULL. */
static inline int bombus_pe_copy_words(const bombus_pe *pe, uint64_t address, uint8_t *to,
                                       const uint8_t *from, size_t size) {
  void *context = pe->port->context;
  if (address % 4 != 0 || size % 4 != 0) return -EINVAL;
  uint32_t before, after;
  int status = bombus_pe_failed(pe, &before);
  for (size_t n = 0; n < size && status >= 0; n += 4) {
    const uint64_t place = (address + n) / 4;
    const uint32_t index = (uint32_t)(place % pe->window_words);
    const uint32_t at = pe->memory + BOMBUS_PE_WORD + 4 * index;
    uint32_t word = 0;
    if (n == 0 || index == 0) {
      const uint32_t position = (uint32_t)(place / pe->window_words);
      status = pe->port->write(context, pe->memory + BOMBUS_PE_WINDOW, position);
      if (status < 0) return status;
    }
    if (from != NULL) {
      for (unsigned k = 0; k < 4; ++k) word |= (uint32_t)from[n + k] << 8 * k;
      status = pe->port->write(context, at, word);
    } else if ((status = pe->port->read(context, at, &word)) >= 0) {
      for (unsigned k = 0; k < 4; ++k) to[n + k] = (uint8_t)(word >> 8 * k);
    }
  }
  if (status < 0) return status;
  status = bombus_pe_failed(pe, &after);
  if (status < 0) return status;
  return after != before ? -EIO : 0;
}

/* Copies up to BOMBUS_PE_PIECE bytes by a message of the layer pe_dma. */
static inline int bombus_pe_copy_piece(const bombus_pe *pe, uint64_t address, uint8_t *to,
                                       const uint8_t *from, size_t size) {
  uint8_t message[2 * BOMBUS_PE_MOST_BEAT + BOMBUS_PE_PIECE + 1];
  const size_t beat = pe->dma.beat_bytes, offset = address % beat;
  size_t length = beat;
  memset(message, 0, beat + offset);
  for (unsigned k = 0; k < 8; ++k) message[k] = (uint8_t)(address >> 8 * k);
  for (unsigned k = 0; k < 4; ++k) message[8 + k] = (uint8_t)(size >> 8 * k);
  memcpy(message + 12, from != NULL ? "WRIT" : "READ", 4);
  if (from != NULL) {
    memcpy(message + beat + offset, from, size);
    length += offset + size;
  }
  int status = pe->port->send(pe->port->context, pe->dma.in, message, length);
  if (status < 0) return status;
  length = sizeof message;
  status = pe->port->receive(pe->port->context, pe->dma.out, message, &length);
  if (status < 0) return status;
  if (length == 0 || message[length - 1] != 0) return -EIO;
  if (to != NULL && length <= offset + size) return -EIO;
  if (to != NULL) memcpy(to, message + offset, size);
  return 0;
}

static inline int bombus_pe_copy(const bombus_pe *pe, uint64_t address, uint8_t *to,
                                 const uint8_t *from, size_t size) {
  if (pe->window_words == 0 || pe->dma.beat_bytes > BOMBUS_PE_MOST_BEAT) return -EINVAL;
  if (size > pe->memory_bytes || address > pe->memory_bytes - size) return -ERANGE;
  if (pe->dma.in == NULL) return bombus_pe_copy_words(pe, address, to, from, size);
  int status = 0;
  for (size_t n = 0; n < size && status >= 0; n += BOMBUS_PE_PIECE) {
    const size_t piece = size - n < BOMBUS_PE_PIECE ? size - n : BOMBUS_PE_PIECE;
    status = bombus_pe_copy_piece(pe, address + n, to != NULL ? to + n : NULL,
                                  from != NULL ? from + n : NULL, piece);
  }
  return status;
}

static inline int bombus_pe_write(const bombus_pe *pe, uint64_t address, const void *data,
                                  size_t size) {
  return bombus_pe_copy(pe, address, NULL, (const uint8_t *)data, size);
}

static inline int bombus_pe_read(const bombus_pe *pe, uint64_t address, void *data, size_t size) {
  return bombus_pe_copy(pe, address, (uint8_t *)data, NULL, size);
}

#endif
