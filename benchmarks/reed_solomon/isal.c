// SPDX-License-Identifier: Apache-2.0
// Reed-Solomon by ISA-L, for comparison with Bombus. See
// src/bombus/applications/reed_solomon/erasure_libraries.py for what the commands do.
#include <isa-l.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_SHARDS = 256, BENCH_BLOCKS = 256, BENCH_RUNS = 20 };

static int data_shards, parity_shards, shards, shard_bytes;
static uint8_t generator[MAX_SHARDS * MAX_SHARDS];  // data shards to all shards
static uint8_t tables[32 * MAX_SHARDS * MAX_SHARDS];

static void fail(const char *message) {
  fprintf(stderr, "%s\n", message);
  exit(1);
}

static void *allocate(size_t size) {
  void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
  if (!memory) fail("no memory");
  return memory;
}

// A Vandermonde matrix times the inverse of its upper square. ISA-L has no function for
// it, but encodes with any matrix.
static void make_vandermonde(void) {
  static uint8_t square[MAX_SHARDS * MAX_SHARDS], inverse[MAX_SHARDS * MAX_SHARDS];
  static uint8_t whole[MAX_SHARDS * MAX_SHARDS];
  for (int row = 0; row < shards; row++) {
    uint8_t power = 1;
    for (int column = 0; column < data_shards; column++) {
      whole[row * data_shards + column] = power;
      power = gf_mul(power, (uint8_t)row);
    }
  }
  memcpy(square, whole, (size_t)data_shards * data_shards);
  if (gf_invert_matrix(square, inverse, data_shards)) fail("singular matrix");
  for (int row = 0; row < shards; row++) {
    for (int column = 0; column < data_shards; column++) {
      uint8_t sum = 0;
      for (int i = 0; i < data_shards; i++) {
        sum ^= gf_mul(whole[row * data_shards + i], inverse[i * data_shards + column]);
      }
      generator[row * data_shards + column] = sum;
    }
  }
}

static void make_generator(const char *matrix) {
  if (!strcmp(matrix, "vandermonde")) {
    make_vandermonde();
  } else if (!strcmp(matrix, "cauchy")) {
    gf_gen_cauchy1_matrix(generator, shards, data_shards);
  } else if (!strcmp(matrix, "power")) {
    gf_gen_rs_matrix(generator, shards, data_shards);
  } else {
    fail("no such matrix");
  }
}

// Reads the next complete piece of standard input; 0 at the end.
static int next_piece(uint8_t *piece, size_t size) {
  size_t got = fread(piece, 1, size, stdin);
  if (got != 0 && got != size) fail("the last piece is not whole");
  return got != 0;
}

static void pointers(uint8_t **all, uint8_t *memory, int count) {
  for (int i = 0; i < count; i++) all[i] = memory + (size_t)i * shard_bytes;
}

static void encode_block(uint8_t *data, uint8_t *parity) {
  uint8_t *from[MAX_SHARDS], *to[MAX_SHARDS];
  pointers(from, data, data_shards);
  pointers(to, parity, parity_shards);
  ec_encode_data(shard_bytes, data_shards, parity_shards, tables, from, to);
}

static void encode(void) {
  size_t data_bytes = (size_t)data_shards * shard_bytes;
  size_t parity_bytes = (size_t)parity_shards * shard_bytes;
  uint8_t *data = allocate(data_bytes), *parity = allocate(parity_bytes);
  while (next_piece(data, data_bytes)) {
    encode_block(data, parity);
    if (fwrite(parity, 1, parity_bytes, stdout) != parity_bytes) fail("cannot write");
  }
}

static long recovered, wrong;

// Recovers all data shards without the lost ones, encodes again, and compares.
static void recover_without(const uint8_t *lost, uint8_t *stripe, uint8_t *again) {
  static uint8_t left[MAX_SHARDS * MAX_SHARDS], inverse[MAX_SHARDS * MAX_SHARDS];
  static uint8_t decode_tables[32 * MAX_SHARDS * MAX_SHARDS];
  uint8_t *from[MAX_SHARDS], *to[MAX_SHARDS];
  int count = 0;
  for (int shard = 0; shard < shards && count < data_shards; shard++) {
    if (lost[shard]) continue;
    memcpy(left + count * data_shards, generator + shard * data_shards, (size_t)data_shards);
    from[count++] = stripe + (size_t)shard * shard_bytes;
  }
  if (gf_invert_matrix(left, inverse, data_shards)) fail("singular matrix");
  ec_init_tables(data_shards, data_shards, inverse, decode_tables);
  pointers(to, again, data_shards);
  ec_encode_data(shard_bytes, data_shards, data_shards, decode_tables, from, to);
  encode_block(again, again + (size_t)data_shards * shard_bytes);
  if (memcmp(again, stripe, (size_t)shards * shard_bytes)) {
    wrong++;
  } else {
    recovered++;
  }
}

// Tries every set of parity_shards lost shards.
static void lose(uint8_t *lost, int next, int more, uint8_t *stripe, uint8_t *again) {
  if (more == 0) {
    recover_without(lost, stripe, again);
    return;
  }
  for (int shard = next; shard < shards; shard++) {
    lost[shard] = 1;
    lose(lost, shard + 1, more - 1, stripe, again);
    lost[shard] = 0;
  }
}

static void recover(void) {
  uint8_t lost[MAX_SHARDS] = {0};
  size_t size = (size_t)shards * shard_bytes;
  uint8_t *stripe = allocate(size), *again = allocate(size);
  while (next_piece(stripe, size)) lose(lost, 0, parity_shards, stripe, again);
  printf("{\"recovered\": %ld, \"wrong\": %ld}\n", recovered, wrong);
}

// CPU time of this process, in seconds, which is less affected by other load.
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// Prints the input rate of the fastest of several runs, in Gbit/s of CPU time.
static void bench(double seconds) {
  size_t size = (size_t)shards * shard_bytes, data_bytes = (size_t)data_shards * shard_bytes;
  uint8_t *stripes = allocate(BENCH_BLOCKS * size);
  for (size_t i = 0; i < BENCH_BLOCKS * size; i++) stripes[i] = (uint8_t)rand();
  double best = 0;
  for (int run = 0; run < BENCH_RUNS; run++) {
    double start = now(), passed;
    long blocks = 0;
    do {
      for (int i = 0; i < BENCH_BLOCKS; i++) {
        encode_block(stripes + i * size, stripes + i * size + data_bytes);
      }
      blocks += BENCH_BLOCKS;
      passed = now() - start;
    } while (passed < seconds / BENCH_RUNS);
    double rate = (double)blocks * (double)data_bytes * 8 / passed / 1e9;
    if (rate > best) best = rate;
  }
  printf("{\"gbps\": %.3f}\n", best);
}

int main(int argc, char **argv) {
  if (argc < 6) fail("usage: COMMAND DATA_SHARDS PARITY_SHARDS SHARD_BYTES MATRIX [SECONDS]");
  data_shards = atoi(argv[2]);
  parity_shards = atoi(argv[3]);
  shards = data_shards + parity_shards;
  shard_bytes = atoi(argv[4]);
  if (data_shards < 1 || parity_shards < 1 || shards > MAX_SHARDS || shard_bytes < 1) {
    fail("impossible numbers");
  }
  make_generator(argv[5]);
  ec_init_tables(data_shards, parity_shards, generator + data_shards * data_shards, tables);
  if (!strcmp(argv[1], "encode")) {
    encode();
  } else if (!strcmp(argv[1], "recover")) {
    recover();
  } else if (!strcmp(argv[1], "bench") && argc > 6) {
    bench(atof(argv[6]));
  } else {
    fail("no such command");
  }
  return 0;
}
