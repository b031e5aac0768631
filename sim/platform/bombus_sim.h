// SPDX-License-Identifier: Apache-2.0
/* Bombus simulator: the C interface of a verilated design.
 *
 * Every design is built into a shared library of its own with this interface.
 * docs/simulator.md explains it at length. In short:
 *
 * - Time is virtual. It advances only inside calls that say so, by the design's
 *   clock period per cycle. Cycles are those of the design's clock; MAC ports with
 *   a clock of their own run beside it at their true ratio. The same seed and the same calls
 *   give the same bytes.
 * - A frame starts with the destination MAC address and carries neither
 *   preamble nor FCS. "Receive" (rx) and "transmit" (tx) are the design's view:
 *   bombus_send_frame() feeds a MAC's rx, bombus_receive_frame() reads its tx.
 * - A simulator must not be used by two threads at once; two simulators may.
 * - Errors. Functions that return int return 0 or a count, or a negative errno
 *   value; bombus_last_error() then gives the reason in words. Further results
 *   are listed with each function. All of them can return
 *     -EINVAL  sim is NULL, the port does not exist, or an argument is NULL or out
 *              of range; the call has no effect
 *     -ENOMEM  out of memory
 *   and those that advance time
 *     -EINTR      the function of bombus_set_poll() ended the call
 *     -EOVERFLOW  virtual time has reached its end, after 106 days
 *     -EIO        the RTL has called $fatal, or Verilator reports an error
 */
#ifndef BOMBUS_SIM_H_
#define BOMBUS_SIM_H_

#include <stddef.h>
#include <stdint.h>

#define BOMBUS_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a function or a struct changes incompatibly. */
#define BOMBUS_API_VERSION 4

typedef struct bombus_sim bombus_sim;

/* The design that the library was built from. */
typedef struct {
  const char *name;         /* of the design */
  uint64_t clock_hz;        /* frequency that virtual time assumes */
  uint32_t data_bytes;      /* width of a MAC port */
  uint32_t mac_ports;       /* number of MAC ports */
  const char *wave_format;  /* "fst", "vcd", or "" if built without waveforms */
  uint32_t assertions;      /* 1: assertions of the RTL are checked */
} bombus_design;

typedef struct {
  uint64_t seed;           /* initial state of registers without reset, and all random choices */
  uint32_t queue_limit;    /* frames waiting in one port's rx queue; 0: no limit */
  uint32_t timer_step_us;  /* longest jump of bombus_elapse_us() while a timer is armed,
                              from 1 to 32768 */
  double rx_bubble;        /* probability of an idle cycle before each rx beat, from 0 to 1 */
  double tx_stall;         /* probability of tready low in a cycle, from 0 to 1 */
} bombus_options;

/* Flags of a frame. */
enum { BOMBUS_BAD_FRAME = 1 }; /* tuser with the last beat: the MAC saw a bad FCS */

typedef struct {
  uint64_t first_cycle; /* cycle in which the first beat was taken */
  uint64_t last_cycle;  /* cycle in which the last beat was taken */
  uint64_t time_ns;     /* virtual time of the last beat */
  uint32_t length;      /* bytes */
  uint16_t port;
  uint16_t flags;
} bombus_frame_info;

enum { BOMBUS_RX = 0, BOMBUS_TX = 1 };

/* Impairments of frames by a network. Probabilities are from 0 to 1. Each has its
 * own stream of random numbers, so that changing one leaves the choices of the
 * others alone. Times are from 0 to 1e9 us. */
typedef struct {
  double loss;
  double duplicate;
  double corrupt;            /* one bit of the frame flips, FCS still good */
  double bad_fcs;            /* frame marked bad (rx), or lost to the receiver (tx) */
  double reorder;            /* frame held back until reorder_distance later ones have passed */
  uint32_t reorder_distance; /* at least 1 */
  double reorder_hold_us;    /* held back no longer than this */
  double delay_us;
  double jitter_us; /* adds a uniform choice from 0 to this; may reorder */
  uint64_t seed;    /* added to the seed of the simulator */
} bombus_impairment;

/* Violations seen by the drivers, those of AXI-Stream at raised streams too. All must be zero. */
typedef struct {
  uint64_t tx_valid_dropped;  /* tvalid fell before the handshake */
  uint64_t tx_data_changed;   /* tdata, tkeep or tlast changed while waiting */
  uint64_t tx_keep_invalid;   /* hole in tkeep, not full before the last beat, or none valid */
  uint64_t tx_underrun;       /* tvalid low inside a frame: a MAC would run dry */
  uint64_t tx_too_long;       /* longer than a MAC port may carry */
  uint64_t rx_not_ready;      /* rx_tready low while a beat was offered */
  uint64_t register_timeout;  /* register request never answered */
  uint64_t assertions_failed; /* $error, $stop or a failing assertion in the RTL */
} bombus_errors;

typedef struct {
  uint64_t rx_frames, rx_bytes; /* streamed into the design */
  uint64_t tx_frames, tx_bytes; /* taken from the design */
  /* Frames impaired in each direction. */
  uint64_t lost[2], duplicated[2], corrupted[2], bad_fcs[2], reordered[2];
  uint64_t file_errors;  /* frames that an attached file descriptor refused */
  uint64_t capture_lost; /* frames that the capture file did not take (disk full) */
  uint64_t link_lost;    /* frames for the design while the link was down */
  uint64_t cycles;       /* of the port's clock, since the simulator was made */
} bombus_port_statistics;

/* BOMBUS_API_VERSION of the library. Cannot fail. */
BOMBUS_API uint32_t bombus_api_version(void);

/* Cannot fail; the result is constant. */
BOMBUS_API const bombus_design *bombus_describe(void);

/* The default options, used for NULL. Does nothing if options is NULL. */
BOMBUS_API void bombus_default_options(bombus_options *options);

/* Makes a simulator and resets the design. NULL if it could not be made, and errno
 * is set: EINVAL (an option is out of range), ENOMEM, EIO. The reason in words:
 * bombus_last_error(NULL). */
BOMBUS_API bombus_sim *bombus_open(const bombus_options *options);

/* Ends a simulator; sim is invalid then, as after free(). NULL: does nothing. Stop
 * captures before (bombus_pcap_out) to learn whether their files are complete. */
BOMBUS_API void bombus_close(bombus_sim *sim);

/* Resets the design and forgets every frame that is waiting or captured.
 * Cycle and time continue. */
BOMBUS_API int bombus_reset(bombus_sim *sim);

/* Resets the design for some cycles, but not the MACs that have clocks of their own: frames
 * at those ports and in their side of the clock crossing are kept. */
BOMBUS_API int bombus_reset_core(bombus_sim *sim);

/* Resets the MAC's side of a port that has a clock of its own, for some cycles, and
 * forgets the frames that wait there. -EINVAL also if it has none. */
BOMBUS_API int bombus_reset_port(bombus_sim *sim, uint32_t port);

/* Why the last call that failed did so; valid until the next call. NULL: the last
 * call of this thread that had no simulator. Never NULL. */
BOMBUS_API const char *bombus_last_error(const bombus_sim *sim);

/* Calls that take long call `poll` every 50 ms or so of real time, in their own
 * thread. They end with -EINTR if it returns other than 0. It must not use the same
 * simulator. NULL (the start): none. */
typedef int (*bombus_poll)(void *context);
BOMBUS_API int bombus_set_poll(bombus_sim *sim, bombus_poll poll, void *context);

/* ---- Frames ---- */

/* Queues a frame of 1 to 262144 bytes. It is streamed into the design, back to back
 * with those before it, while time advances. -EAGAIN: queue full. */
BOMBUS_API int bombus_send_frame(bombus_sim *sim, uint32_t port, const uint8_t *data, size_t length,
                                 uint32_t flags);

/* Takes the oldest captured frame and returns its length. -EAGAIN: none.
 * -ENOSPC: capacity too small; info holds the length, the frame stays.
 * info may be NULL. */
BOMBUS_API int bombus_receive_frame(bombus_sim *sim, uint32_t port, uint8_t *data, size_t capacity,
                                    bombus_frame_info *info);

/* Takes the stamps of the oldest frame that was streamed into the design and
 * not yet asked for; the last 65536 of each port are kept. -EAGAIN: none. */
BOMBUS_API int bombus_next_sent(bombus_sim *sim, uint32_t port, bombus_frame_info *info);

/* Many frames in one call, for measurements. */
typedef struct {
  /* In. */
  const uint8_t *frames;    /* all frames, one after the other */
  const uint32_t *lengths;  /* of each */
  const uint8_t *ports;     /* of each; NULL: all to port 0 */
  uint64_t count;           /* frames to send */
  uint64_t window;          /* at most this many sent and not yet answered; 0: no limit */
  uint64_t gap_cycles;      /* minimum number of cycles between the first beats of two frames */
  uint64_t expected;        /* stop after this many received; 0: when nothing is in flight */
  uint64_t limit_cycles;    /* stop after this many cycles in any case; 0: no limit */
  uint64_t data_capacity;   /* bytes */
  uint64_t received_capacity; /* entries */
  /* Out. */
  bombus_frame_info *sent;     /* count entries, in the order of sending; may be NULL */
  uint8_t *data;               /* received frames, one after the other */
  bombus_frame_info *received; /* their stamps, in the order of the last beats */
  uint64_t sent_count;
  uint64_t received_count;
  uint64_t data_used; /* bytes */
  uint64_t cycles;    /* that the exchange took */
} bombus_exchange_request;

/* -ENOSPC: data or received too small; -ETIMEDOUT: stopped by limit_cycles; else 0.
 * With these, and with -EINTR, the frames received so far are valid. Frames captured before
 * are discarded. */
BOMBUS_API int bombus_exchange(bombus_sim *sim, bombus_exchange_request *request);

/* ---- Time ---- */

/* These cannot fail; they return 0 if sim is NULL. */
BOMBUS_API uint64_t bombus_cycle(const bombus_sim *sim);
BOMBUS_API uint64_t bombus_time_ns(const bombus_sim *sim);
BOMBUS_API uint64_t bombus_time_us(const bombus_sim *sim);

/* Cycles that were really evaluated: idle ones are skipped. */
BOMBUS_API uint64_t bombus_evaluated_cycles(const bombus_sim *sim);

/* 1: something is in flight or waiting, or a timer is armed. */
BOMBUS_API int bombus_busy(const bombus_sim *sim);
/* 1: something is in flight or waiting. */
BOMBUS_API int bombus_in_flight(const bombus_sim *sim);

/* -EINVAL also if virtual time ends before. */
BOMBUS_API int bombus_advance_cycles(bombus_sim *sim, uint64_t cycles);

/* Until a frame of the port can be received; -ETIMEDOUT after limit_cycles. */
BOMBUS_API int bombus_advance_until_frame(bombus_sim *sim, uint32_t port, uint64_t limit_cycles);

/* Until nothing is in flight and all counters are up to date; timers may stay
 * armed. -ETIMEDOUT after limit_cycles. */
BOMBUS_API int bombus_advance_until_idle(bombus_sim *sim, uint64_t limit_cycles);

/* Lets virtual time pass in few cycles: while nothing is in flight, one cycle
 * represents many microseconds (timer_step_us if a timer is armed). -EINVAL also if
 * virtual time ends before. */
BOMBUS_API int bombus_elapse_us(bombus_sim *sim, uint64_t microseconds);

/* ---- Registers ---- */

/* Addresses are multiples of 4 inside the design's register map: `<design>_registers.h` of
 * `bombus generate` names them. A write takes one cycle if there is room, and takes effect some
 * cycles later, before any access that follows. -ETIMEDOUT: the design does not answer. */
BOMBUS_API int bombus_read_register(bombus_sim *sim, uint32_t address, uint32_t *value);
BOMBUS_API int bombus_write_register(bombus_sim *sim, uint32_t address, uint32_t value);

/* `count` counters of 48 bits, 8 bytes from one to the next, never torn. -ETIMEDOUT: the
 * design does not answer. */
BOMBUS_API int bombus_read_counters(bombus_sim *sim, uint32_t address, uint32_t count,
                                    uint64_t *values);

/* ---- Raised ports ---- */

/* Ports of layers that the design file raises to the top, by name, such as "debug_o".
 * Values are bytes, the lowest first, as many as the bits need. -ENOENT: no such port.
 * Reading gives the value after the last cycle that was computed and returns its
 * bytes; -ENOSPC: capacity too small. Writing takes effect with the next cycle;
 * -EINVAL also if the port is an output, or length or a bit above its width does not
 * fit, or if the port belongs to a stream. Inputs are 0 at the start and keep their value over
 * a reset. */
BOMBUS_API int bombus_read_pin(bombus_sim *sim, const char *name, uint8_t *data, size_t capacity);
BOMBUS_API int bombus_write_pin(bombus_sim *sim, const char *name, const uint8_t *data,
                                size_t length);

/* Until one of `count` raised ports is not 0, by name as for bombus_read_pin(); returns the lowest
 * index of those. -ETIMEDOUT: all are 0 for limit_cycles. */
BOMBUS_API int bombus_advance_until_pin(bombus_sim *sim, const char *const *names, size_t count,
                                        uint64_t limit_cycles);

/* ---- Streams ---- */

/* AXI-Streams among the raised ports, by name: "app_in" is the stream of app_in_tdata_i,
 * app_in_tkeep_i, app_in_tvalid_i, app_in_tready_o, app_in_tlast_i and, where there is one,
 * app_in_tuser_i. The manifest lists them under `streams`, with the layout of tuser where the layer
 * declares that. A message is the bytes up to tlast; user is tuser of its first beat, the lowest
 * byte first, as many bytes as the bits need (none without tuser). -ENOENT: no such stream. */

/* Queues a message of 0 to 262144 bytes for a stream into the design; it is sent while time
 * advances, with the gaps of rx_bubble. -EINVAL also if the stream is an output of the design, or
 * user_length or a bit above the width of tuser does not fit. */
BOMBUS_API int bombus_send_message(bombus_sim *sim, const char *stream, const uint8_t *data,
                                   size_t length, const uint8_t *user, size_t user_length);

/* Takes the oldest message that a stream of the design has sent; tready is low as
 * tx_stall says, and any number of messages can wait. length: of its data. -EAGAIN: none. -ENOSPC:
 * a capacity is too small; length is set, and the message stays. -EINVAL also if the stream is an
 * input of the design. */
BOMBUS_API int bombus_receive_message(bombus_sim *sim, const char *stream, uint8_t *data,
                                      size_t capacity, uint8_t *user, size_t user_capacity,
                                      size_t *length);

/* Lets virtual time pass as bombus_elapse_us() does, until a message of the stream, or (NULL) of
 * any, can be received. -ETIMEDOUT: none was sent. -EINVAL also if the stream is an input of the
 * design, or virtual time ends before. */
BOMBUS_API int bombus_await_message(bombus_sim *sim, const char *stream, uint64_t microseconds);

/* Probability of an idle cycle before each beat of this stream, or of tready low; at the start
 * rx_bubble or tx_stall. -EINVAL also if it is not 0 to 1. */
BOMBUS_API int bombus_set_stream_pace(bombus_sim *sim, const char *stream, double pause);

/* ---- Links of beats ---- */

/* Links among the raised ports, by number in the manifest's `beat_links`: "link0" is the ports
 * link0_tx_data_o, link0_tx_valid_o, link0_tx_ready_i, link0_rx_data_i, link0_rx_valid_i and
 * link0_up_i. A beat is the data of one cycle. The caller carries beats from a design to its
 * peers. Beats are records of 64-bit words: the cycle in which the beat arrives, then its data, the
 * lowest bits first. A link is down at the start. While one is up no cycle is skipped. */

typedef struct {
  uint64_t latency;  /* a beat sent in cycle c arrives in cycle c + latency; at least 1 */
  double rate;       /* beats per cycle that the link takes, above 0 to 1 */
  double bit_errors; /* probability that a bit is wrong when it arrives, from 0 to 1 */
  uint64_t seed;     /* of the bit errors: they follow from it and the cycle alone */
} bombus_beat_link_options;

/* Of the direction out of the design. At the start: latency 1, rate 1, no errors. */
BOMBUS_API int bombus_set_beat_link(bombus_sim *sim, uint32_t link,
                                    const bombus_beat_link_options *options);

/* From this cycle on the link is up or down. While it is down it takes no beats, and those that
 * arrive are lost. -EINVAL also if the cycle is over, or before an earlier change. */
BOMBUS_API int bombus_set_beat_link_up(bombus_sim *sim, uint32_t link, int up, uint64_t cycle);

typedef struct {
  uint64_t *records;
  uint64_t capacity; /* beats */
  uint64_t count;    /* beats */
} bombus_beats;

/* Runs for so many cycles, 0 too. `in`: for each link, beats for the design, in the order of time;
 * they may arrive later than this call ends. `out`: for each link, what the design has sent by
 * now and was not taken yet. Either may be NULL: none are given, or taken. -ENOSPC: a capacity
 * is too small; the counts are set, and all beats stay. -EINVAL also if a beat is
 * to arrive before the present cycle, or not after the one before. */
BOMBUS_API int bombus_run_beats(bombus_sim *sim, uint64_t cycles, const bombus_beats *in,
                                bombus_beats *out);

/* Calls, whichever they are, compute no cycle from this one on before `reached` has been called,
 * has given what arrives until a later one and has set that. It may call bombus_run_beats() with
 * 0 cycles; other than 0 ends the call with -EINTR. -EDEADLK: calls that reach the cycle if there
 * is no such function, or it sets no later cycle. UINT64_MAX (the start): no limit. */
typedef int (*bombus_horizon)(void *context);
BOMBUS_API int bombus_set_horizon(bombus_sim *sim, uint64_t cycle, bombus_horizon reached,
                                  void *context);

typedef struct {
  uint64_t sent;            /* beats out of the design */
  uint64_t received;        /* beats into the design */
  uint64_t lost;            /* beats that arrived while the link was down */
  uint64_t flipped_bits;    /* bits sent that arrive wrong */
  uint64_t sent_digest;     /* of all beats sent and their cycles: equal if they are */
  uint64_t received_digest;
} bombus_beat_link_statistics;
BOMBUS_API int bombus_get_beat_link(bombus_sim *sim, uint32_t link,
                                    bombus_beat_link_statistics *statistics);

/* ---- The world around a port ---- */

/* Probability of an idle cycle before each rx beat, and of tready low. Of this port only. */
BOMBUS_API int bombus_set_pace(bombus_sim *sim, uint32_t port, double rx_bubble, double tx_stall);

/* up 0: the link is down. The port accepts no frames of the design, and frames that are sent
 * to it are lost (link_lost); those that wait in its queue still enter the design. */
BOMBUS_API int bombus_set_link(bombus_sim *sim, uint32_t port, int up);

/* Keeps both directions of a port to the rate of a wire, in bits a second,
 * preamble, FCS and gap (24 bytes a frame) counted; 0: as fast as the port. -EINVAL
 * also if it is not finite, or below 1. */
BOMBUS_API int bombus_set_line_rate(bombus_sim *sim, uint32_t port, double bits_per_second);

/* impairment NULL: none. */
BOMBUS_API int bombus_set_impairment(bombus_sim *sim, uint32_t port, int direction,
                                     const bombus_impairment *impairment);

/* Queues the frames of a capture file (pcap or pcapng, Ethernet), without an FCS that the
 * file holds; returns their number. keep_time: with the gaps that the file has; else back
 * to back. -EINVAL also if it is not such a file, is damaged or cut short, holds frames that
 * were cut when they were captured, or keeps times more than 30 days apart; the
 * errno value of fopen() or fread() if it cannot be read. */
BOMBUS_API int bombus_pcap_in(bombus_sim *sim, uint32_t port, const char *path, int keep_time);

/* Writes the frames that cross the port from now on, with virtual time in nanoseconds
 * (from the first bombus_run_live() on: wall-clock time), as pcapng if the path ends in
 * .pcapng, else as classic pcap. A file that is there is replaced. directions: bit
 * BOMBUS_RX, bit BOMBUS_TX. NULL path: stop. Starting and stopping return the errno value
 * of open() or write(), such as -ENOSPC, if a file could not be written or is not complete;
 * frames that it lacks are counted in capture_lost as soon as the error occurs. */
BOMBUS_API int bombus_pcap_out(bombus_sim *sim, uint32_t port, const char *path,
                               uint32_t directions);

/* Places in the design where a message has waited for `cycles` cycles or more and
 * still waits; points are numbered as in the manifest (`watch`). 0 cycles (the start): the
 * design is not watched. */
typedef struct {
  uint32_t point;
  uint64_t since_cycle;
} bombus_stall;
BOMBUS_API int bombus_watch(bombus_sim *sim, uint64_t cycles);
/* Returns how many there are, and writes at most `capacity` of them. stalls may be NULL
 * if capacity is 0. */
BOMBUS_API int bombus_get_stalls(bombus_sim *sim, bombus_stall *stalls, size_t capacity);

/* What was written to the tables of next hops and slots since the reset, by any master of
 * registers: the last word at each address. They cannot be read otherwise. */
typedef struct {
  uint32_t address;
  uint32_t word;
} bombus_table_write;
/* Returns how many there are, and writes at most `capacity` of them. writes may be NULL if
 * capacity is 0. */
BOMBUS_API int bombus_get_table_writes(bombus_sim *sim, bombus_table_write *writes,
                                       size_t capacity);

/* Writes a waveform file from now on, in the wave_format of the library. -ENOTSUP: built
 * without waveforms; -EIO: the file cannot be written. */
BOMBUS_API int bombus_wave_start(bombus_sim *sim, const char *path);

/* Completes the file; does nothing if there is none. */
BOMBUS_API int bombus_wave_stop(bombus_sim *sim);

BOMBUS_API int bombus_get_errors(bombus_sim *sim, bombus_errors *errors);
BOMBUS_API int bombus_get_statistics(bombus_sim *sim, uint32_t port,
                                     bombus_port_statistics *statistics);

/* ---- Live ---- */

/* Joins a port to a file descriptor whose read() and write() are one frame each
 * (TAP, packet socket); made non-blocking, stays the caller's. -1: none. The errno
 * value of fcntl(), such as -EBADF, if that fails. */
BOMBUS_API int bombus_attach(bombus_sim *sim, uint32_t port, int file_descriptor);

/* Runs for so long of real time, with real time as the design's time, and
 * sleeps while there is nothing to do. Returns early, with 0, when a signal arrives
 * while it sleeps, and when a stream of the design has sent messages. -ENODEV: the other end of
 * a port's descriptor no longer exists (a deleted interface, a closed socket). */
BOMBUS_API int bombus_run_live(bombus_sim *sim, uint32_t milliseconds);

#ifdef __cplusplus
}
#endif
#endif
