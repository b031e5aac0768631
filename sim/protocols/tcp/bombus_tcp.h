// SPDX-License-Identifier: Apache-2.0
/* Bombus simulator: TCP sockets in C, beside the functions of bombus_sim.h.
 *
 * Sockets on the TCP engine of a design, for an application whose messages the design raises as two
 * streams (layer tcp_host; docs/protocols/tcp/applications.md). tile: the tile of the application;
 * NULL: the first tile that has such streams. -ENOENT: there is none. Its streams are then in use:
 * bombus_send_message() and bombus_receive_message() would disturb the sockets.
 *
 * A listener or connection is a number above 0 that is never used again in this simulator. A
 * number that was never given, or that is closed, is -EBADF, and a connection where a listener is
 * needed, or a listener where a connection is, is -EINVAL. bombus_reset() and bombus_reset_core()
 * close everything. bombus_last_error() gives the text of the errno value and the reason:
 * "Connection refused: the peer has refused it".
 *
 * Waiting. Functions with timeout_us let virtual time pass, as bombus_elapse_us() does, until they
 * are done, at most this many microseconds: -ETIMEDOUT. timeout_us 0: no time passes; -EAGAIN
 * instead of waiting. -EINVAL also if virtual time ends before. All others let no time pass;
 * messages that they send enter the design as time advances. In a live run, where time is real,
 * calls must not wait: use timeout_us 0 between calls of bombus_run_live(), which returns when
 * messages have arrived. */
#ifndef BOMBUS_TCP_H_
#define BOMBUS_TCP_H_

#include "bombus_sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Replaces the passing of time while a call waits: with several
 * simulators joined by frames, all have to advance. pass_time gets the microseconds that are left
 * and should let time pass in this simulator, at most that much, and at least a little. It may call
 * all functions of this simulator except bombus_close(). If it returns other than 0, waiting ends
 * with -EINTR. NULL (the start): time of this simulator passes. Applies to all tiles. */
typedef int (*bombus_pass_time)(void *context, uint64_t microseconds);
BOMBUS_API int bombus_tcp_set_pass_time(bombus_sim *sim, bombus_pass_time pass_time, void *context);

/* Starts to accept connections to a port and returns a listener. backlog: connections that may
 * wait for bombus_tcp_accept(); further ones are reset once they are open; 0: no limit.
 * -EADDRINUSE: the port has a listener, or belongs to another tile. -EINVAL also if the port
 * is not from 1 to 65535, or not the one that the tile has in the design file. */
BOMBUS_API int bombus_tcp_listen(bombus_sim *sim, const char *tile, uint32_t port,
                                 uint32_t backlog);

/* The oldest connection that waits at a listener. */
BOMBUS_API int bombus_tcp_accept(bombus_sim *sim, int listener, uint64_t timeout_us);

/* Requests a connection through a MAC port with `port` at an IPv4 address (10.77.0.1 is
 * 0x0A4D0001), from a local port (own_port; 0: the engine chooses one), and returns it at once.
 * Until it is open, sending and receiving is -ENOTCONN; bombus_tcp_await() waits, and
 * bombus_tcp_poll() reports it. Every one opens or fails. While as many requests as the engine has
 * sessions wait for its answer, of all tiles together, a further one fails at once (ENOBUFS).
 * -EADDRINUSE: own_port has a listener, or belongs to a tile. -EINVAL also if port is not from 1 to
 * 65535, or own_port is beyond. */
BOMBUS_API int bombus_tcp_open(bombus_sim *sim, const char *tile, uint32_t ip, uint32_t port,
                               uint32_t mac_port, uint32_t own_port);

/* Opens a connection, waits until it is open, and returns it. -ECONNREFUSED: the peer has refused
 * it, by a reset or by ICMP; -ETIMEDOUT: it has not answered; -EHOSTUNREACH: ... and the path has
 * reported an error by ICMP; -ENOBUFS: all sessions of the engine are in use or requested;
 * -EADDRINUSE: a connection from own_port to this peer exists, perhaps in TIME-WAIT. After every
 * error the request is given up. timeout_us 0 is -EINVAL: use bombus_tcp_open(). */
BOMBUS_API int bombus_tcp_connect(bombus_sim *sim, const char *tile, uint32_t ip, uint32_t port,
                                  uint32_t mac_port, uint32_t own_port, uint64_t timeout_us);

/* Flags of the functions below. */
enum {
  BOMBUS_TCP_PEEK = 1, /* receive: the bytes stay, and the next call returns them again */
  BOMBUS_TCP_MORE = 2  /* send, write: more bytes follow: a segment that is not full is held back
                          until the next call, with no limit of time */
};

/* Sends bytes: waits until the send buffer of the engine has taken all of them, and returns their
 * number, or a smaller one if the time is over or the connection is reset meanwhile. An error only
 * if it has taken none: -EAGAIN or -ETIMEDOUT: there is no space. -ECONNRESET: the connection was
 * reset; -ETIMEDOUT, -EHOSTUNREACH, -ECONNREFUSED: it has ended since the peer no longer answers,
 * without or with an error reported by the path (BOMBUS_TCP_ERROR is not 0 then); -ECONNABORTED: it
 * was idle, and the engine has given its session to another peer; -EPIPE: it was shut down, or both
 * sides have ended it. length: 1 to INT_MAX. */
BOMBUS_API int bombus_tcp_send(bombus_sim *sim, int connection, const uint8_t *data, size_t length,
                               uint32_t flags, uint64_t timeout_us);

/* Queues any number of bytes, which are sent as the send buffer has space, and returns 0.
 * BOMBUS_TCP_UNSENT counts those that wait. Errors as for bombus_tcp_send(). */
BOMBUS_API int bombus_tcp_write(bombus_sim *sim, int connection, const uint8_t *data,
                                size_t length, uint32_t flags);

/* Takes received bytes, in order, and returns their number, at most `capacity` (1 or more),
 * as soon as there are some. 0: the peer sends no more, or the reading side was shut down.
 * -ECONNRESET and the others of bombus_tcp_send(): the connection has ended, and nothing is
 * left. */
BOMBUS_API int bombus_tcp_receive(bombus_sim *sim, int connection, uint8_t *data, size_t capacity,
                                  uint32_t flags, uint64_t timeout_us);

/* Values of `how`: those of shutdown() in POSIX. */
enum {
  BOMBUS_TCP_SHUT_READ = 0,  /* received bytes are discarded, those to come, too */
  BOMBUS_TCP_SHUT_WRITE = 1, /* no bytes follow those sent so far; bytes may still be received */
  BOMBUS_TCP_SHUT_BOTH = 2
};
BOMBUS_API int bombus_tcp_shutdown(bombus_sim *sim, int connection, int how);

/* Closes a connection: bytes sent before still arrive. Bytes of the peer that were not received, or
 * that arrive later, reset it (RFC 9293, 3.6.1). One that is not open yet is given up, as by
 * bombus_tcp_abort(). The number is then valid only for bombus_tcp_abort(), bombus_tcp_get() and
 * bombus_tcp_await() with BOMBUS_TCP_CLOSED, and no longer (-EBADF) once the session is free, which
 * also takes the peer's close, or a minute (`fin_wait_us` of the engine). Or closes a listener:
 * connections that wait there and new ones are reset. */
BOMBUS_API int bombus_tcp_close(bombus_sim *sim, int socket);

/* Resets a connection and closes it; bytes in transit may be lost. One that is not open yet is
 * given up, and its session becomes free. */
BOMBUS_API int bombus_tcp_abort(bombus_sim *sim, int connection);

/* Conditions and states of a connection. */
enum {
  BOMBUS_TCP_OPENED = 1,    /* it is or was open */
  BOMBUS_TCP_READABLE = 2,  /* there are bytes, the end of the peer's stream, or a reset */
  BOMBUS_TCP_WRITABLE = 4,  /* the send buffer has space, and no byte waits for it */
  BOMBUS_TCP_SENT = 8,      /* no byte of bombus_tcp_write() waits for space */
  BOMBUS_TCP_CLOSED = 16,   /* the session has ended on both sides */
  BOMBUS_TCP_RESET = 32,    /* ... by a reset or a timeout; or it could not be opened */
  BOMBUS_TCP_REPORTED = 64  /* the path has reported an error: BOMBUS_TCP_SOFT_ERROR */
};

/* Waits until one of the given conditions (up to BOMBUS_TCP_CLOSED) holds, and returns all that
 * hold, with those that were not requested. A session that ends becomes readable, writable, and
 * sent. A connection that could not be opened has the errors of bombus_tcp_connect(). */
BOMBUS_API int bombus_tcp_await(bombus_sim *sim, int connection, uint32_t conditions,
                                uint64_t timeout_us);

/* A connection whose state has changed since the last report. */
typedef struct {
  int32_t connection;
  uint32_t changes; /* BOMBUS_TCP_OPENED ... BOMBUS_TCP_REPORTED that hold now */
} bombus_tcp_news;

/* Handles messages of the design, writes the connections that have changed since the last call, at
 * most `capacity`, in the order of the first change of each, and returns their number; the
 * next call reports the others. Bytes that the engine announces arrive a little later and are a
 * change again. A connection is also reported while it waits to be accepted, and when its session
 * ends after it was closed. Changes of the last 65536 connections are kept. news may be NULL if
 * capacity is 0. */
BOMBUS_API int bombus_tcp_poll(bombus_sim *sim, const char *tile, bombus_tcp_news *news,
                               size_t capacity);

/* Options of a connection or listener: read by bombus_tcp_get, set by bombus_tcp_set. */
enum {
  BOMBUS_TCP_AVAILABLE = 1, /* bytes that can be received without waiting */
  BOMBUS_TCP_UNSENT,        /* bytes that wait for space in the send buffer */
  BOMBUS_TCP_PEER_IP,       /* 10.77.0.1 is 0x0A4D0001 */
  BOMBUS_TCP_PEER_PORT,
  BOMBUS_TCP_PORT,    /* of this side; also of a listener. 0 until a connection is open */
  BOMBUS_TCP_SESSION, /* of the engine, as in its registers; -ENOTCONN until it is open */
  BOMBUS_TCP_STATE,   /* BOMBUS_TCP_OPENED ... BOMBUS_TCP_REPORTED that hold */
  BOMBUS_TCP_AT_END,  /* 1: the peer sends no more, and everything has been received */
  BOMBUS_TCP_ERROR,   /* an errno value: why it could not be opened, or has ended; 0: none */
  BOMBUS_TCP_WAITING, /* of a listener: connections that wait to be accepted */
  BOMBUS_TCP_BACKLOG, /* of a listener; can be set */
  BOMBUS_TCP_MAC_PORT, /* through which the peer is reached */
  BOMBUS_TCP_MSS,      /* bytes of a full segment sent, without options; 0 until it is open */
  /* Bytes of the buffers of the engine; with several engines, those of the smallest one. */
  BOMBUS_TCP_SEND_BUFFER,
  BOMBUS_TCP_RECEIVE_BUFFER,
  /* An errno value: the last error that the path has reported by ICMP (RFC 5461), where the design
   * has tcp_errors: EHOSTUNREACH (network or host unreachable, time exceeded, parameter problem) or
   * ECONNREFUSED (protocol or port unreachable). The connection goes on. 0: none; can be set to
   * 0. */
  BOMBUS_TCP_SOFT_ERROR,
  /* Of the engine's session: can be set, before it is open, too; 0 or 1 unless stated
   * otherwise. */
  BOMBUS_TCP_NODELAY = 64, /* 1: short segments are not delayed. Default: 0, which delays them where
                              the engine has `nagle` */
  BOMBUS_TCP_KEEPALIVE,    /* 0: a silent peer is not probed. Default: 1, which probes it where the
                              engine has `keepalive_s` */
  BOMBUS_TCP_USER_TIMEOUT, /* milliseconds, up to 4294836, after which an open connection ends whose
                              peer acknowledges nothing; it ends up to 131 ms later. Default: 0, as
                              the engine's `user_timeout_s` and `max_backoff` say */
  BOMBUS_TCP_CORK          /* 1: segments that are not full are held back, until it is set to 0, or
                              the connection is shut down or closed; no limit of time. Default: 0 */
};

/* -ENOPROTOOPT: there is no such option, or not of a connection, or not of a listener. */
BOMBUS_API int bombus_tcp_get(bombus_sim *sim, int socket, uint32_t option, uint64_t *value);
/* -ENOPROTOOPT: also if the option can only be read. */
BOMBUS_API int bombus_tcp_set(bombus_sim *sim, int socket, uint32_t option, uint64_t value);

/* Writes the connections that are or were open and whose sessions are not free yet, at most
 * `capacity`, closed ones among them, and returns how many there are. connections may be NULL if
 * capacity is 0. */
BOMBUS_API int bombus_tcp_connections(bombus_sim *sim, const char *tile, int32_t *connections,
                                      size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
