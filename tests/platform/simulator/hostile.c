// SPDX-License-Identifier: Apache-2.0
/* A hostile user of a simulator, built with sanitizers: every function with every argument
 * wrong, frames of every length, files that are damaged, in any order. Ends with 0 if each call
 * returned what bombus_sim.h says. Argument: a folder for files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bombus_sim.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static int failures;
static uint8_t buffer[300000], room[20000];

static void expect(const char *text, int line, long result, long wanted, const bombus_sim *sim) {
  if (result == wanted && (result >= 0 || *bombus_last_error(sim))) return;
  fprintf(stderr, "%d: %s is %ld, not %ld: %s\n", line, text, result, wanted,
          bombus_last_error(sim));
  ++failures;
}
#define IS(wanted, call) expect(#call, __LINE__, (call), (wanted), sim)
#define REFUSED(call) IS(-EINVAL, call)

static uint32_t random_state = 1;
static uint32_t random_number(uint32_t below) {
  random_state = random_state * 1664525u + 1013904223u;
  return (random_state >> 8) % below;
}

static int stop(void *calls) { return ++*(int *)calls >= 2; }

static void without_simulator(void) {
  bombus_sim *sim = NULL;
  bombus_frame_info info;
  bombus_exchange_request request = {0};
  bombus_errors errors;
  bombus_port_statistics statistics;
  uint32_t value;
  uint64_t counter;
  size_t length;
  REFUSED(bombus_reset(sim));
  REFUSED(bombus_reset_core(sim));
  REFUSED(bombus_reset_port(sim, 0));
  REFUSED(bombus_set_poll(sim, NULL, NULL));
  REFUSED(bombus_send_frame(sim, 0, buffer, 60, 0));
  REFUSED(bombus_receive_frame(sim, 0, buffer, 60, NULL));
  REFUSED(bombus_next_sent(sim, 0, &info));
  REFUSED(bombus_exchange(sim, &request));
  REFUSED(bombus_busy(sim));
  REFUSED(bombus_in_flight(sim));
  REFUSED(bombus_advance_cycles(sim, 1));
  REFUSED(bombus_advance_until_frame(sim, 0, 1));
  REFUSED(bombus_advance_until_idle(sim, 1));
  REFUSED(bombus_elapse_us(sim, 1));
  REFUSED(bombus_read_register(sim, 0, &value));
  REFUSED(bombus_write_register(sim, 0, 0));
  REFUSED(bombus_read_counters(sim, 0, 1, &counter));
  REFUSED(bombus_read_pin(sim, "lamp_o", buffer, 13));
  REFUSED(bombus_write_pin(sim, "key_i", buffer, 2));
  REFUSED(bombus_send_message(sim, "echo_in", buffer, 4, buffer, 2));
  REFUSED(bombus_receive_message(sim, "echo_out", buffer, 4, room, 2, &length));
  REFUSED(bombus_await_message(sim, "echo_out", 1));
  REFUSED(bombus_set_pace(sim, 0, 0, 0));
  REFUSED(bombus_set_link(sim, 0, 1));
  REFUSED(bombus_set_line_rate(sim, 0, 0));
  REFUSED(bombus_set_impairment(sim, 0, BOMBUS_RX, NULL));
  REFUSED(bombus_pcap_in(sim, 0, "x", 0));
  REFUSED(bombus_pcap_out(sim, 0, NULL, 0));
  REFUSED(bombus_watch(sim, 1));
  REFUSED(bombus_get_stalls(sim, NULL, 0));
  REFUSED(bombus_get_table_writes(sim, NULL, 0));
  REFUSED(bombus_wave_start(sim, "x"));
  REFUSED(bombus_wave_stop(sim));
  REFUSED(bombus_get_errors(sim, &errors));
  REFUSED(bombus_get_statistics(sim, 0, &statistics));
  REFUSED(bombus_attach(sim, 0, -1));
  REFUSED(bombus_run_live(sim, 1));
  REFUSED(bombus_set_beat_link(sim, 0, NULL));
  REFUSED(bombus_set_beat_link_up(sim, 0, 1, 0));
  REFUSED(bombus_run_beats(sim, 1, NULL, NULL));
  REFUSED(bombus_set_horizon(sim, 1, NULL, NULL));
  REFUSED(bombus_get_beat_link(sim, 0, NULL));
  IS(0, (long)bombus_cycle(sim) + (long)bombus_time_ns(sim) + (long)bombus_time_us(sim) +
            (long)bombus_evaluated_cycles(sim));
  bombus_default_options(NULL);
  bombus_close(NULL);
}

static void bad_options(void) {
  const bombus_sim *sim = NULL;
  bombus_options options[6];
  for (size_t i = 0; i < LENGTH(options); ++i) bombus_default_options(&options[i]);
  options[0].rx_bubble = 2;
  options[1].tx_stall = -1;
  options[2].rx_bubble = strtod("nan", NULL);
  options[3].timer_step_us = 0;
  options[4].timer_step_us = UINT32_MAX;
  options[5].tx_stall = 1.0001;
  for (size_t i = 0; i < LENGTH(options); ++i) {
    errno = 0;
    IS(1, bombus_open(&options[i]) == NULL && errno == EINVAL && *bombus_last_error(NULL));
  }
}

static void bad_arguments(bombus_sim *sim) {
  static const double wrong[] = {-0.1, 1.1, 7, 1e300};
  bombus_frame_info info;
  uint32_t value;
  uint64_t counter;
  bombus_errors errors;
  bombus_port_statistics statistics;
  static const uint32_t ports[] = {2, 9, UINT32_MAX};
  for (size_t i = 0; i < LENGTH(ports); ++i) {
    REFUSED(bombus_send_frame(sim, ports[i], buffer, 60, 0));
    REFUSED(bombus_receive_frame(sim, ports[i], buffer, 60, NULL));
    REFUSED(bombus_next_sent(sim, ports[i], &info));
    REFUSED(bombus_advance_until_frame(sim, ports[i], 10));
    REFUSED(bombus_reset_port(sim, ports[i]));
    REFUSED(bombus_set_pace(sim, ports[i], 0, 0));
    REFUSED(bombus_set_link(sim, ports[i], 0));
    REFUSED(bombus_set_line_rate(sim, ports[i], 0));
    REFUSED(bombus_set_impairment(sim, ports[i], BOMBUS_RX, NULL));
    REFUSED(bombus_pcap_in(sim, ports[i], "x", 0));
    REFUSED(bombus_pcap_out(sim, ports[i], NULL, 0));
    REFUSED(bombus_get_statistics(sim, ports[i], &statistics));
    REFUSED(bombus_attach(sim, ports[i], -1));
  }
  REFUSED(bombus_send_frame(sim, 0, NULL, 60, 0));
  REFUSED(bombus_send_frame(sim, 0, buffer, 0, 0));
  REFUSED(bombus_send_frame(sim, 0, buffer, 262145, 0));
  REFUSED(bombus_send_frame(sim, 0, buffer, SIZE_MAX, 0));
  REFUSED(bombus_send_frame(sim, 0, buffer, 60, 2));
  REFUSED(bombus_receive_frame(sim, 0, NULL, 60, NULL));
  REFUSED(bombus_next_sent(sim, 0, NULL));
  IS(-EAGAIN, bombus_receive_frame(sim, 0, buffer, 60, NULL));
  IS(-EAGAIN, bombus_next_sent(sim, 0, &info));
  IS(-ETIMEDOUT, bombus_advance_until_frame(sim, 0, 10));
  REFUSED(bombus_advance_cycles(sim, UINT64_MAX));
  REFUSED(bombus_elapse_us(sim, UINT64_MAX));
  REFUSED(bombus_read_register(sim, 0, NULL));
  REFUSED(bombus_read_register(sim, 1, &value));
  REFUSED(bombus_read_register(sim, 1u << 20, &value));
  REFUSED(bombus_write_register(sim, UINT32_MAX, 0));
  REFUSED(bombus_read_counters(sim, 4, 1, &counter));
  REFUSED(bombus_read_counters(sim, 0, 1, NULL));
  REFUSED(bombus_read_counters(sim, (1u << 20) - 8, 2, &counter));
  REFUSED(bombus_read_counters(sim, 16, UINT32_MAX, &counter));
  REFUSED(bombus_set_impairment(sim, 0, 2, NULL));
  REFUSED(bombus_set_impairment(sim, 0, -1, NULL));
  for (size_t i = 0; i < LENGTH(wrong); ++i) {
    REFUSED(bombus_set_pace(sim, 0, wrong[i], 0));
    REFUSED(bombus_set_pace(sim, 0, 0, wrong[i]));
    bombus_impairment impairments[8];
    memset(impairments, 0, sizeof impairments);
    impairments[0].loss = impairments[1].duplicate = impairments[2].corrupt = wrong[i];
    impairments[3].bad_fcs = impairments[4].reorder = wrong[i];
    const double time = wrong[i] > 0 ? 1e300 : wrong[i];
    impairments[5].delay_us = impairments[6].jitter_us = impairments[7].reorder_hold_us = time;
    for (size_t j = 0; j < LENGTH(impairments); ++j) {
      REFUSED(bombus_set_impairment(sim, 0, BOMBUS_TX, &impairments[j]));
    }
  }
  const bombus_impairment overtaken_by_none = {.reorder = 0.5};
  REFUSED(bombus_set_impairment(sim, 0, BOMBUS_RX, &overtaken_by_none));
  REFUSED(bombus_set_line_rate(sim, 0, -5));
  REFUSED(bombus_set_line_rate(sim, 0, 0.5));
  REFUSED(bombus_set_line_rate(sim, 0, 1e308 * 10));
  REFUSED(bombus_pcap_in(sim, 0, NULL, 0));
  IS(-ENOENT, bombus_pcap_in(sim, 0, "/there/is/none", 0));
  IS(-ENOENT, bombus_pcap_out(sim, 0, "/there/is/none", 3));
  IS(-ENOSPC, bombus_pcap_out(sim, 0, "/dev/full", 3));
  REFUSED(bombus_pcap_out(sim, 0, "/dev/null", 0));
  REFUSED(bombus_pcap_out(sim, 0, "/dev/null", 4));
  REFUSED(bombus_get_stalls(sim, NULL, 1));
  REFUSED(bombus_get_table_writes(sim, NULL, 1));
  REFUSED(bombus_wave_start(sim, NULL));
  IS(-ENOTSUP, bombus_wave_start(sim, "x"));
  REFUSED(bombus_get_errors(sim, NULL));
  REFUSED(bombus_get_statistics(sim, 0, NULL));
  IS(-EBADF, bombus_attach(sim, 0, -2));
  IS(-EBADF, bombus_attach(sim, 0, 9999));
  IS(0, bombus_get_errors(sim, &errors));
}

/* The loopback design has no links of beats. */
static int no_beats(void *calls) {
  ++*(int *)calls;
  return 0;
}

static void beats(bombus_sim *sim) {
  static const uint32_t absent[] = {0, 1, UINT32_MAX};
  const bombus_beat_link_options options = {.latency = 1, .rate = 1};
  bombus_beat_link_statistics statistics;
  for (size_t i = 0; i < LENGTH(absent); ++i) {
    REFUSED(bombus_set_beat_link(sim, absent[i], &options));
    REFUSED(bombus_set_beat_link_up(sim, absent[i], 1, bombus_cycle(sim) + 1));
    REFUSED(bombus_get_beat_link(sim, absent[i], &statistics));
  }
  IS(0, bombus_run_beats(sim, 10, NULL, NULL));
  int calls = 0;
  IS(0, bombus_set_horizon(sim, bombus_cycle(sim) + 10, NULL, NULL));
  IS(-EDEADLK, bombus_advance_cycles(sim, 20));
  IS(0, bombus_set_horizon(sim, bombus_cycle(sim) + 10, no_beats, &calls));
  IS(-EDEADLK, bombus_run_beats(sim, 20, NULL, NULL));
  IS(1, calls == 1);
  IS(0, bombus_set_horizon(sim, UINT64_MAX, NULL, NULL));
  IS(0, bombus_run_beats(sim, 20, NULL, NULL));
}

static void description(void) {
  const bombus_sim *sim = NULL;
  const bombus_design *design = bombus_describe();
  IS(BOMBUS_API_VERSION, bombus_api_version());
  IS(1, design != NULL && design == bombus_describe() && design->mac_ports == 2);
  IS(16, design->data_bytes);
  IS(0, strcmp(design->name, "loopback"));
}

/* The loopback design has an input key_i of 12 bits and an output lamp_o of 100, which shows it. */
static void pins(bombus_sim *sim) {
  static const char *const absent[] = {"", "x", "key", "key_i ", "lamp_o_", "%s%n"};
  const char *const lit = "lamp_o";
  uint8_t lamp[13], key[2] = {0x5A, 0x0A}, wide[2] = {0xFF, 0x1F};
  for (size_t i = 0; i < LENGTH(absent); ++i) {
    IS(-ENOENT, bombus_read_pin(sim, absent[i], buffer, sizeof buffer));
    IS(-ENOENT, bombus_write_pin(sim, absent[i], buffer, 0));
    IS(-ENOENT, bombus_advance_until_pin(sim, &absent[i], 1, 10));
    IS(1, strstr(bombus_last_error(sim), absent[i]) != NULL);
  }
  REFUSED(bombus_read_pin(sim, NULL, lamp, sizeof lamp));
  REFUSED(bombus_read_pin(sim, "lamp_o", NULL, sizeof lamp));
  IS(-ENOSPC, bombus_read_pin(sim, "lamp_o", lamp, sizeof lamp - 1));
  IS(-ENOSPC, bombus_read_pin(sim, "lamp_o", lamp, 0));
  REFUSED(bombus_advance_until_pin(sim, NULL, 1, 10));
  IS(-ETIMEDOUT, bombus_advance_until_pin(sim, NULL, 0, 10));
  IS(-ETIMEDOUT, bombus_advance_until_pin(sim, &lit, 1, 10));
  REFUSED(bombus_write_pin(sim, NULL, key, sizeof key));
  REFUSED(bombus_write_pin(sim, "key_i", NULL, sizeof key));
  REFUSED(bombus_write_pin(sim, "key_i", key, 0));
  REFUSED(bombus_write_pin(sim, "key_i", key, 1));
  REFUSED(bombus_write_pin(sim, "key_i", key, SIZE_MAX));
  REFUSED(bombus_write_pin(sim, "key_i", wide, sizeof wide));
  REFUSED(bombus_write_pin(sim, "lamp_o", lamp, sizeof lamp));
  IS(0, bombus_write_pin(sim, "key_i", key, sizeof key));
  IS(0, bombus_advance_until_pin(sim, &lit, 1, 2));
  IS(sizeof lamp, bombus_read_pin(sim, "lamp_o", lamp, sizeof lamp));
  IS(0, memcmp(lamp, key, sizeof key));
}

/* A link that goes down takes what is sent to it along; no port here has a clock of its own. */
static void streams(bombus_sim *sim) {
  static const char *const absent[] = {"", "x", "echo", "echo_in_", "echo_in_tdata_i", "%s%n"};
  static uint8_t came[300000];
  uint8_t user[2] = {0x21, 0x03}, wide[2] = {0, 0x10}, seen[2];
  size_t length = 0;
  for (size_t i = 0; i < LENGTH(absent); ++i) {
    IS(-ENOENT, bombus_send_message(sim, absent[i], buffer, 4, user, 2));
    IS(-ENOENT, bombus_receive_message(sim, absent[i], came, sizeof came, seen, 2, &length));
    IS(-ENOENT, bombus_await_message(sim, absent[i], 1));
    IS(-ENOENT, bombus_set_stream_pace(sim, absent[i], 0));
  }
  REFUSED(bombus_write_pin(sim, "echo_in_tdata_i", buffer, 4));
  REFUSED(bombus_write_pin(sim, "echo_out_tready_i", buffer, 1));
  REFUSED(bombus_send_message(sim, NULL, buffer, 4, user, 2));
  REFUSED(bombus_send_message(sim, "echo_out", buffer, 4, user, 2));
  REFUSED(bombus_send_message(sim, "echo_in", NULL, 4, user, 2));
  REFUSED(bombus_send_message(sim, "echo_in", buffer, 262145, user, 2));
  REFUSED(bombus_send_message(sim, "echo_in", buffer, SIZE_MAX, user, 2));
  REFUSED(bombus_send_message(sim, "echo_in", buffer, 4, NULL, 2));
  REFUSED(bombus_send_message(sim, "echo_in", buffer, 4, NULL, 0));
  REFUSED(bombus_send_message(sim, "echo_in", buffer, 4, user, 1));
  REFUSED(bombus_send_message(sim, "echo_in", buffer, 4, user, SIZE_MAX));
  REFUSED(bombus_send_message(sim, "echo_in", buffer, 4, wide, 2));
  REFUSED(bombus_receive_message(sim, NULL, came, 4, seen, 2, &length));
  REFUSED(bombus_receive_message(sim, "echo_in", came, 4, seen, 2, &length));
  REFUSED(bombus_receive_message(sim, "echo_out", NULL, 4, seen, 2, &length));
  REFUSED(bombus_receive_message(sim, "echo_out", came, 4, NULL, 2, &length));
  REFUSED(bombus_receive_message(sim, "echo_out", came, 4, seen, 2, NULL));
  REFUSED(bombus_await_message(sim, "echo_in", 1));
  REFUSED(bombus_set_stream_pace(sim, NULL, 0));
  REFUSED(bombus_set_stream_pace(sim, "echo_in", 1.5));
  REFUSED(bombus_set_stream_pace(sim, "echo_out", -0.5));
  REFUSED(bombus_await_message(sim, NULL, UINT64_MAX));
  IS(-EAGAIN, bombus_receive_message(sim, "echo_out", came, sizeof came, seen, 2, &length));
  IS(-ETIMEDOUT, bombus_await_message(sim, NULL, 0));
  IS(-ETIMEDOUT, bombus_await_message(sim, "echo_out", 1000));
  static const size_t sizes[] = {0, 1, 3, 4, 5, 8, 1000, 262144};
  for (size_t i = 0; i < LENGTH(sizes); ++i) {
    IS(0, bombus_send_message(sim, "echo_in", sizes[i] ? buffer : NULL, sizes[i], user, 2));
  }
  for (size_t i = 0; i < LENGTH(sizes); ++i) {
    IS(0, bombus_await_message(sim, i % 2 ? NULL : "echo_out", 1000000));
    if (sizes[i] != 0) {
      IS(-ENOSPC,
         bombus_receive_message(sim, "echo_out", came, sizes[i] - 1, seen, 2, &length));
    }
    IS(-ENOSPC, bombus_receive_message(sim, "echo_out", came, sizes[i], seen, 1, &length));
    IS(0, bombus_receive_message(sim, "echo_out", sizes[i] ? came : NULL, sizes[i], seen, 2,
                                 &length));
    IS((long)sizes[i], (long)length);
    IS(1, memcmp(came, buffer, length) == 0 && seen[0] == user[0] && seen[1] == user[1]);
  }
  // A stream that does not move.
  IS(0, bombus_set_stream_pace(sim, "echo_out", 1));
  IS(0, bombus_send_message(sim, "echo_in", buffer, 4, user, 2));
  IS(-ETIMEDOUT, bombus_await_message(sim, "echo_out", 1000));
  IS(0, bombus_set_stream_pace(sim, "echo_out", 0));
  IS(0, bombus_await_message(sim, "echo_out", 1000));
  IS(0, bombus_receive_message(sim, "echo_out", came, sizeof came, seen, 2, &length));
  // Messages waiting at a reset are discarded.
  IS(0, bombus_send_message(sim, "echo_in", buffer, 4, user, 2));
  IS(0, bombus_reset(sim));
  IS(-ETIMEDOUT, bombus_await_message(sim, NULL, 10));
}

static void links(bombus_sim *sim) {
  bombus_port_statistics statistics;
  IS(0, bombus_reset_core(sim));
  REFUSED(bombus_reset_port(sim, 0));
  for (int up = 0; up < 2; ++up) {
    IS(0, bombus_set_link(sim, 1, up));
    IS(0, bombus_send_frame(sim, 1, buffer, 60, 0));
    IS(up ? 0 : -ETIMEDOUT, bombus_advance_until_frame(sim, 1, 10000));
  }
  IS(60, bombus_receive_frame(sim, 1, buffer, sizeof buffer, NULL));
  IS(0, bombus_get_statistics(sim, 1, &statistics));
  IS(1, statistics.link_lost);
}

static void exchanges(bombus_sim *sim) {
  enum { COUNT = 40 };
  static uint8_t data[COUNT * 2000];
  static bombus_frame_info sent[COUNT], received[2 * COUNT];
  uint32_t lengths[COUNT];
  uint8_t ports[COUNT];
  for (unsigned i = 0; i < COUNT; ++i) lengths[i] = 1 + 7 * i, ports[i] = i % 2;
  const bombus_exchange_request good = {.frames = buffer, .lengths = lengths, .ports = ports,
      .count = COUNT, .data_capacity = sizeof data, .received_capacity = LENGTH(received),
      .sent = sent, .data = data, .received = received};
  bombus_exchange_request request = good;
  REFUSED(bombus_exchange(sim, NULL));
  IS(0, bombus_exchange(sim, &request));
  IS(COUNT, (long)request.received_count);
  request = good, request.frames = NULL;
  REFUSED(bombus_exchange(sim, &request));
  request = good, request.lengths = NULL;
  REFUSED(bombus_exchange(sim, &request));
  request = good, request.data = NULL;
  REFUSED(bombus_exchange(sim, &request));
  request = good, request.received = NULL;
  REFUSED(bombus_exchange(sim, &request));
  request = good, request.gap_cycles = UINT64_MAX;
  REFUSED(bombus_exchange(sim, &request));
  request = good, request.window = request.limit_cycles = request.expected = UINT64_MAX;
  IS(0, bombus_exchange(sim, &request));
  request = good, request.received_capacity = 3;
  IS(-ENOSPC, bombus_exchange(sim, &request));
  IS(0, bombus_advance_until_idle(sim, 100000));
  request = good, request.data_capacity = 100;
  IS(-ENOSPC, bombus_exchange(sim, &request));
  IS(0, bombus_advance_until_idle(sim, 100000));
  request = good, request.limit_cycles = 5;
  IS(-ETIMEDOUT, bombus_exchange(sim, &request));
  IS(0, bombus_advance_until_idle(sim, 100000));
  request = good, request.sent = NULL, request.window = 1;
  IS(0, bombus_exchange(sim, &request));
  ports[COUNT - 1] = 2;
  REFUSED(bombus_exchange(sim, &request));
  ports[COUNT - 1] = 0, lengths[3] = 0;
  REFUSED(bombus_exchange(sim, &request));
  lengths[3] = 60;
  memset(&request, 0, sizeof request);
  IS(0, bombus_exchange(sim, &request));
  int calls = 0;
  IS(0, bombus_set_poll(sim, stop, &calls));
  request = good, request.count = 2, request.gap_cycles = 1ull << 50;
  IS(-EINTR, bombus_exchange(sim, &request));
  IS(-EINTR, bombus_advance_cycles(sim, 1ull << 50));
  IS(0, bombus_set_poll(sim, NULL, NULL));
}

/* Frames of every length, through every impairment, into captures. */
static void frames(bombus_sim *sim, const char *folder) {
  char path[4096];
  const bombus_impairment rough = {.loss = 0.1, .duplicate = 0.2, .corrupt = 0.2, .bad_fcs = 0.1,
      .reorder = 0.3, .reorder_distance = 3, .reorder_hold_us = 5, .delay_us = 1, .jitter_us = 3};
  static const char *const names[] = {"capture.pcap", "capture.pcapng"};
  for (unsigned turn = 0; turn < 2; ++turn) {
    snprintf(path, sizeof path, "%s/%s", folder, names[turn]);
    IS(0, bombus_pcap_out(sim, turn, path, 3));
    IS(0, bombus_set_impairment(sim, turn, BOMBUS_RX, &rough));
    IS(0, bombus_set_impairment(sim, turn, BOMBUS_TX, &rough));
    IS(0, bombus_set_pace(sim, turn, 0.1 * turn, 0.3));
    for (uint32_t length = 1; length < 400; ++length) {
      IS(0, bombus_send_frame(sim, turn, buffer + length, length, length % 7 == 0));
    }
    IS(0, bombus_send_frame(sim, turn, buffer, 20000, 0));
    IS(0, bombus_advance_until_idle(sim, 10000000));
    while (bombus_receive_frame(sim, turn, buffer, sizeof buffer, NULL) > 0) {
    }
    IS(0, bombus_pcap_out(sim, turn, NULL, 0));
    IS(0, bombus_set_impairment(sim, turn, BOMBUS_RX, NULL));
    IS(0, bombus_set_impairment(sim, turn, BOMBUS_TX, NULL));
    IS(0, bombus_set_pace(sim, turn, 0, 0));
    const int count = bombus_pcap_in(sim, turn, path, 1);
    IS(1, count > 300);
    IS(0, bombus_reset(sim));
  }
}

/* Capture files with some bytes changed, or cut short: read, or refused. */
static void damaged_files(bombus_sim *sim, const char *folder) {
  static uint8_t original[200000], damaged[200000];
  static const char *const names[] = {"capture.pcap", "capture.pcapng"};
  char path[4096];
  int refused = 0;
  for (unsigned turn = 0; turn < 600; ++turn) {
    snprintf(path, sizeof path, "%s/%s", folder, names[turn % 2]);
    FILE *file = fopen(path, "rb");
    const size_t all = fread(original, 1, sizeof original, file);
    fclose(file);
    const size_t size = turn % 4 ? all : 1 + random_number(turn % 8 ? 200 : (uint32_t)all);
    memcpy(damaged, original, size);
    for (unsigned i = 0; i < turn % 5; ++i) {
      const uint32_t near = random_number(4) ? 120 : (uint32_t)size;
      damaged[random_number(near) % size] = (uint8_t)random_number(256);
    }
    snprintf(path, sizeof path, "%s/damaged", folder);
    file = fopen(path, "wb");
    fwrite(damaged, 1, size, file);
    fclose(file);
    const int result = bombus_pcap_in(sim, turn % 2, path, turn % 2);
    if (result < 0) IS(-EINVAL, result);
    refused += result < 0;
    IS(0, bombus_reset(sim));
  }
  IS(1, refused > 100 && refused < 600);
}

static void live(bombus_sim *sim) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0) abort();
  IS(0, bombus_attach(sim, 0, ends[0]));
  for (unsigned i = 0; i < 200; ++i) {
    const size_t length = 1 + random_number(i % 9 ? 200 : 12000);
    if (write(ends[1], buffer, length) < 0) abort();
    IS(0, bombus_run_live(sim, 1));
    while (recv(ends[1], room, sizeof room, MSG_DONTWAIT) > 0) {
    }
  }
  close(ends[1]);
  IS(-ENODEV, bombus_run_live(sim, 1000));
  IS(0, bombus_attach(sim, 0, -1));
  IS(0, bombus_run_live(sim, 1));
  close(ends[0]);
}

int main(int count, char **arguments) {
  const char *folder = count > 1 ? arguments[1] : ".";
  for (size_t i = 0; i < sizeof buffer; ++i) buffer[i] = (uint8_t)random_number(256);
  without_simulator();
  bad_options();
  bombus_sim *first = bombus_open(NULL), *second = bombus_open(NULL);
  bad_arguments(first);
  bad_arguments(second);
  bombus_close(second);
  description();
  beats(first);
  pins(first);
  streams(first);
  links(first);
  exchanges(first);
  second = bombus_open(NULL);
  frames(second, folder);
  bombus_close(first);
  damaged_files(second, folder);
  live(second);
  bombus_close(second);
  return failures != 0;
}
