/* Bombus simulator: the C interface of a verilated design.
 *
 * Every design is built into a shared library of its own with this interface.
 * docs/simulator.md explains it at length. In short:
 *
 * - Time is virtual. It moves only inside calls that say so, by the design's
 *   clock period per cycle. The same seed and the same calls give the same
 *   bytes.
 * - A frame starts with the destination MAC address and carries neither
 *   preamble nor FCS. "Receive" (rx) and "transmit" (tx) are the design's view:
 *   bombus_send_frame() feeds a MAC's rx, bombus_receive_frame() reads its tx.
 * - Functions that return int return 0 or a count, or a negative errno value.
 * - A simulator must not be used by two threads at once; two simulators may.
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
#define BOMBUS_API_VERSION 1

typedef struct bombus_sim bombus_sim;

/* What the library was built from. */
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
  uint32_t timer_step_us;  /* longest jump of bombus_elapse_us() while a timer is armed */
  double rx_bubble;        /* probability of an idle cycle before each rx beat */
  double tx_stall;         /* probability of tready low in a cycle */
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

/* What a network does to frames. Probabilities are from 0 to 1. Each has its
 * own stream of random numbers, so that changing one leaves the choices of the
 * others alone. */
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

/* Violations seen by the drivers. All must be zero. */
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
  /* What the impairments of each direction did. */
  uint64_t lost[2], duplicated[2], corrupted[2], bad_fcs[2], reordered[2];
  uint64_t file_errors; /* frames that an attached file descriptor refused */
} bombus_port_statistics;

BOMBUS_API uint32_t bombus_api_version(void);
BOMBUS_API const bombus_design *bombus_describe(void);

/* The options that NULL stands for. */
BOMBUS_API void bombus_default_options(bombus_options *options);

/* Makes a simulator and resets the design. NULL if it could not be made. */
BOMBUS_API bombus_sim *bombus_open(const bombus_options *options);
BOMBUS_API void bombus_close(bombus_sim *sim);

/* Resets the design and forgets every frame that is waiting or captured.
 * Cycle and time go on. */
BOMBUS_API int bombus_reset(bombus_sim *sim);

/* What the last call that failed has to say. */
BOMBUS_API const char *bombus_last_error(const bombus_sim *sim);

/* ---- Frames ---- */

/* Queues a frame. It is streamed into the design, back to back with those
 * before it, while time advances. -EAGAIN: queue full. */
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
  uint64_t window;          /* at most so many sent and not yet answered; 0: no limit */
  uint64_t gap_cycles;      /* at least so many cycles between the first beats of two frames */
  uint64_t expected;        /* stop after so many received; 0: when nothing is in flight */
  uint64_t limit_cycles;    /* stop after so many cycles in any case; 0: no limit */
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

/* -ENOSPC: data or received too small (what fitted is there); -ETIMEDOUT:
 * stopped by limit_cycles; else 0. Frames captured before are discarded. */
BOMBUS_API int bombus_exchange(bombus_sim *sim, bombus_exchange_request *request);

/* ---- Time ---- */

BOMBUS_API uint64_t bombus_cycle(const bombus_sim *sim);
BOMBUS_API uint64_t bombus_time_ns(const bombus_sim *sim);
BOMBUS_API uint64_t bombus_time_us(const bombus_sim *sim);

/* Cycles that were really evaluated: idle ones are skipped. */
BOMBUS_API uint64_t bombus_evaluated_cycles(const bombus_sim *sim);

/* Something is in flight or waiting, or a timer is armed. */
BOMBUS_API int bombus_busy(const bombus_sim *sim);
/* Something is in flight or waiting. */
BOMBUS_API int bombus_in_flight(const bombus_sim *sim);

BOMBUS_API int bombus_advance_cycles(bombus_sim *sim, uint64_t cycles);

/* Until a frame of the port can be received; -ETIMEDOUT after limit_cycles. */
BOMBUS_API int bombus_advance_until_frame(bombus_sim *sim, uint32_t port, uint64_t limit_cycles);

/* Until nothing is in flight and all counters are up to date; timers may stay
 * armed. -ETIMEDOUT after limit_cycles. */
BOMBUS_API int bombus_advance_until_idle(bombus_sim *sim, uint64_t limit_cycles);

/* Lets virtual time pass in few cycles: while nothing is in flight, one cycle
 * stands for many microseconds (timer_step_us if a timer is armed). */
BOMBUS_API int bombus_elapse_us(bombus_sim *sim, uint64_t microseconds);

/* ---- Registers ---- */

BOMBUS_API int bombus_read_register(bombus_sim *sim, uint32_t address, uint32_t *value);
BOMBUS_API int bombus_write_register(bombus_sim *sim, uint32_t address, uint32_t value);

/* Counters first to first+count-1 of a tile, 48 bits each, never torn. */
BOMBUS_API int bombus_read_counters(bombus_sim *sim, uint32_t tile, uint32_t first, uint32_t count,
                                    uint64_t *values);

/* ---- The world around a port ---- */

/* Probability of an idle cycle before each rx beat, and of tready low. */
BOMBUS_API int bombus_set_pace(bombus_sim *sim, uint32_t port, double rx_bubble, double tx_stall);

/* Keeps both directions of a port to the rate of a wire, in bits a second,
 * preamble, FCS and gap (24 bytes a frame) counted; 0: as fast as the port. */
BOMBUS_API int bombus_set_line_rate(bombus_sim *sim, uint32_t port, double bits_per_second);

/* NULL: none. */
BOMBUS_API int bombus_set_impairment(bombus_sim *sim, uint32_t port, int direction,
                                     const bombus_impairment *impairment);

/* Queues the frames of a capture file (classic pcap, Ethernet); returns their
 * number. keep_time: with the gaps that the file has; else back to back. */
BOMBUS_API int bombus_pcap_in(bombus_sim *sim, uint32_t port, const char *path, int keep_time);

/* Writes what crosses the port from now on, with virtual time, as classic pcap
 * in nanoseconds. directions: bit BOMBUS_RX, bit BOMBUS_TX. NULL path: stop. */
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
/* Returns how many there are, and writes at most `capacity` of them. */
BOMBUS_API int bombus_get_stalls(bombus_sim *sim, bombus_stall *stalls, size_t capacity);

BOMBUS_API int bombus_wave_start(bombus_sim *sim, const char *path);
BOMBUS_API int bombus_wave_stop(bombus_sim *sim);

BOMBUS_API void bombus_get_errors(const bombus_sim *sim, bombus_errors *errors);
BOMBUS_API int bombus_get_statistics(const bombus_sim *sim, uint32_t port,
                                     bombus_port_statistics *statistics);

/* ---- Live ---- */

/* Joins a port to a file descriptor whose read() and write() are one frame each
 * (TAP, packet socket); made non-blocking, stays the caller's. -1: none. */
BOMBUS_API int bombus_attach(bombus_sim *sim, uint32_t port, int file_descriptor);

/* Runs for so long of real time, with real time as the design's time, and
 * sleeps while there is nothing to do. Returns early, with 0, when a signal
 * comes. */
BOMBUS_API int bombus_run_live(bombus_sim *sim, uint32_t milliseconds);

#ifdef __cplusplus
}
#endif
#endif
