// SPDX-License-Identifier: Apache-2.0
/* Uses and misuses the TCP sockets of two simulators of tcp_host.yaml at the ends of a wire. Ends
 * with 0 if each call returned what bombus_tcp.h says. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bombus_tcp.h"
#include "tcp_host_registers.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))
enum { SERVER_IP = 0x0A4D0002, CLIENT_IP = 0x0A4D0003, SESSIONS = 16, SECOND = 1000000 };

static int failures;
static bombus_sim *far, *near; /* server, client */
static int interrupts; /* that pass_time is still to make */

static void expect(const char *text, int line, long result, long wanted, const bombus_sim *sim) {
  if (result == wanted && (result >= 0 || *bombus_last_error(sim))) return;
  fprintf(stderr, "%d: %s is %ld, not %ld: %s\n", line, text, result, wanted,
          bombus_last_error(sim));
  ++failures;
}
/* sim: the simulator whose reason is shown. */
#define IS(sim, wanted, call) expect(#call, __LINE__, (call), (wanted), sim)
#define TRUE(condition) expect(#condition, __LINE__, (condition) != 0, 1, NULL)
/* A negative result, with these words in its reason. */
#define FAILS(sim, wanted, words, call)                     \
  do {                                                      \
    IS(sim, -(wanted), call);                               \
    if (strstr(bombus_last_error(sim), words) == NULL) {    \
      fprintf(stderr, "%d: reason %s\n", __LINE__, bombus_last_error(sim)); \
      ++failures;                                           \
    }                                                       \
  } while (0)

enum { COARSE_US = 2000 }; /* timers may be late by this */

static void carry(bombus_sim *from, bombus_sim *to) {
  static uint8_t frame[9600];
  int length;
  while ((length = bombus_receive_frame(from, 0, frame, sizeof frame, NULL)) > 0)
    bombus_send_frame(to, 0, frame, (size_t)length, 0);
}

static int pass_time(void *context, uint64_t microseconds) {
  (void)context;
  if (interrupts > 0 && --interrupts == 0) return 1;
  uint64_t step = bombus_in_flight(far) || bombus_in_flight(near) ? 2 : COARSE_US;
  if (step > microseconds) step = microseconds;
  if (bombus_elapse_us(far, step) < 0 || bombus_elapse_us(near, step) < 0) return 1;
  carry(far, near);
  carry(near, far);
  bombus_tcp_poll(far, NULL, NULL, 0);
  bombus_tcp_poll(near, NULL, NULL, 0);
  return 0;
}

static void run(uint64_t microseconds) {
  const uint64_t end = bombus_time_us(near) + microseconds;
  while (bombus_time_us(near) < end) pass_time(NULL, end - bombus_time_us(near));
}

static uint64_t get(bombus_sim *sim, int socket, uint32_t option) {
  uint64_t value = 0;
  IS(sim, 0, bombus_tcp_get(sim, socket, option, &value));
  return value;
}

/* Until all sessions are free, also for the engine. */
static void settle(void) {
  for (int i = 0; i < 100 && (bombus_tcp_connections(far, NULL, NULL, 0) ||
                              bombus_tcp_connections(near, NULL, NULL, 0));
       ++i)
    run(100000);
  IS(far, 0, bombus_tcp_connections(far, NULL, NULL, 0));
  IS(near, 0, bombus_tcp_connections(near, NULL, NULL, 0));
  run(1100000); /* TIME-WAIT */
}

static void connected(int listener, uint32_t port, int *client, int *server) {
  *client = bombus_tcp_connect(near, NULL, SERVER_IP, port, 0, 0, SECOND);
  TRUE(*client > 0);
  *server = bombus_tcp_accept(far, listener, SECOND);
  TRUE(*server > 0);
}

static uint8_t content(uint32_t at, int way) { return (uint8_t)(at ^ at >> 8 ^ at >> 16 ^ way); }

/* A mebibyte in both directions at once, by calls that do not wait. */
static void transfer(int client, int server) {
  enum { SIZE = 1 << 20 };
  static uint8_t out[2][SIZE], in[20000];
  bombus_sim *const sims[2] = {near, far};
  const int sockets[2] = {client, server};
  uint32_t sent[2] = {0}, came[2] = {0}, wrong = 0, steps = 0;
  for (int way = 0; way < 2; ++way)
    for (uint32_t i = 0; i < SIZE; ++i) out[way][i] = content(i, way);
  while ((came[0] < SIZE || came[1] < SIZE) && ++steps < 200000) {
    for (int way = 0; way < 2; ++way) {
      if (sent[way] < SIZE) {
        int length = bombus_tcp_send(sims[way], sockets[way], out[way] + sent[way],
                                     SIZE - sent[way], 0, 0);
        TRUE(length > 0 || length == -EAGAIN);
        if (length > 0) sent[way] += (uint32_t)length;
      }
      int length = bombus_tcp_receive(sims[!way], sockets[!way], in, 1 + steps % sizeof in, 0, 0);
      TRUE(length > 0 || length == -EAGAIN);
      for (int i = 0; i < length; ++i) wrong += in[i] != content(came[way]++, way);
    }
    pass_time(NULL, 100);
  }
  TRUE(came[0] == SIZE && came[1] == SIZE && wrong == 0);
}

static void half_close(int listener) {
  uint8_t data[100];
  int client, server;
  connected(listener, 80, &client, &server);
  IS(near, SERVER_IP, (long)get(near, client, BOMBUS_TCP_PEER_IP));
  IS(near, 80, (long)get(near, client, BOMBUS_TCP_PEER_PORT));
  IS(far, 80, (long)get(far, server, BOMBUS_TCP_PORT));
  TRUE(get(far, server, BOMBUS_TCP_PEER_PORT) == get(near, client, BOMBUS_TCP_PORT));
  TRUE(get(far, server, BOMBUS_TCP_PEER_IP) == CLIENT_IP);
  TRUE(get(far, server, BOMBUS_TCP_SESSION) < SESSIONS);
  transfer(client, server);
  IS(near, 4, bombus_tcp_send(near, client, (const uint8_t *)"last", 4, 0, SECOND));
  IS(near, 0, bombus_tcp_shutdown(near, client, BOMBUS_TCP_SHUT_WRITE));
  IS(near, 0, bombus_tcp_shutdown(near, client, BOMBUS_TCP_SHUT_WRITE));
  FAILS(near, EPIPE, "shut down", bombus_tcp_send(near, client, data, 1, 0, SECOND));
  FAILS(near, EPIPE, "shut down", bombus_tcp_write(near, client, data, 1, 0));
  IS(far, 4, bombus_tcp_receive(far, server, data, sizeof data, 0, SECOND));
  TRUE(memcmp(data, "last", 4) == 0);
  IS(far, 0, bombus_tcp_receive(far, server, data, sizeof data, 0, SECOND));
  IS(far, 1, (long)get(far, server, BOMBUS_TCP_AT_END));
  IS(far, 0, bombus_tcp_write(far, server, (const uint8_t *)"half-closed", 11, 0));
  TRUE(bombus_tcp_await(far, server, BOMBUS_TCP_SENT, SECOND) & BOMBUS_TCP_SENT);
  IS(far, 0, bombus_tcp_close(far, server));
  TRUE(bombus_tcp_await(near, client, BOMBUS_TCP_READABLE, SECOND) & BOMBUS_TCP_READABLE);
  IS(near, 11, (long)get(near, client, BOMBUS_TCP_AVAILABLE));
  IS(near, 11, bombus_tcp_receive(near, client, data, sizeof data, 0, 0));
  IS(near, 0, bombus_tcp_receive(near, client, data, sizeof data, 0, SECOND));
  TRUE(bombus_tcp_await(near, client, BOMBUS_TCP_CLOSED, 10 * SECOND) & BOMBUS_TCP_CLOSED);
  IS(near, 0, (long)get(near, client, BOMBUS_TCP_ERROR));
  IS(near, 0, bombus_tcp_close(near, client));
  settle();
  FAILS(near, EBADF, "has been closed", bombus_tcp_await(near, client, BOMBUS_TCP_CLOSED, 0));
}

/* A receiver that does not read shuts the window; then everything that was queued arrives. */
static void shut_window(int listener) {
  enum { SIZE = 300000 };
  static uint8_t data[SIZE];
  int client, server, total = 0, length;
  connected(listener, 80, &client, &server);
  for (int i = 0; i < SIZE; ++i) data[i] = content((uint32_t)i, 2);
  length = bombus_tcp_send(near, client, data, SIZE, 0, SECOND / 20);
  TRUE(length > 0 && length < SIZE);
  FAILS(near, ETIMEDOUT, "no space", bombus_tcp_send(near, client, data, 1, 0, SECOND / 100));
  FAILS(near, EAGAIN, "no space", bombus_tcp_send(near, client, data, 1, 0, 0));
  FAILS(near, ETIMEDOUT, "no space", bombus_tcp_await(near, client, BOMBUS_TCP_WRITABLE, 1000));
  IS(near, 0, bombus_tcp_write(near, client, data + length, (size_t)(SIZE - length), 0));
  IS(near, SIZE - length, (long)get(near, client, BOMBUS_TCP_UNSENT));
  FAILS(near, EAGAIN, "no space", bombus_tcp_await(near, client, BOMBUS_TCP_SENT, 0));
  IS(near, 0, bombus_tcp_close(near, client)); /* what waits is still sent */
  static uint8_t part[5000];
  while ((length = bombus_tcp_receive(far, server, part, sizeof part, 0, 5 * SECOND)) > 0) {
    for (int i = 0; i < length && total + i < SIZE; ++i)
      if (part[i] != data[total + i]) ++failures;
    total += length;
  }
  IS(far, 0, length);
  IS(far, SIZE, total);
  IS(far, 0, bombus_tcp_close(far, server));
  settle();
}

/* Peeking, corks, local ports, sizes, and the reading side. */
static void options(int listener) {
  uint8_t data[100], big[5000] = {0};
  int client, server;
  connected(listener, 80, &client, &server);
  IS(near, 3, bombus_tcp_send(near, client, (const uint8_t *)"abc", 3, 0, 0)); /* there is space */
  IS(far, 1, bombus_tcp_send(far, server, data, 1, 0, 0));
  for (int i = 0; i < 2; ++i) {
    IS(far, 3, bombus_tcp_receive(far, server, data, sizeof data, BOMBUS_TCP_PEEK, SECOND));
    TRUE(memcmp(data, "abc", 3) == 0);
  }
  IS(far, 3, (long)get(far, server, BOMBUS_TCP_AVAILABLE));
  IS(far, 3, bombus_tcp_receive(far, server, data, sizeof data, 0, SECOND));
  FAILS(far, EAGAIN, "come",
        bombus_tcp_receive(far, server, data, sizeof data, BOMBUS_TCP_PEEK, 0));

  const long mss = (long)get(near, client, BOMBUS_TCP_MSS);
  IS(near, 1448, mss);
  IS(near, 65536, (long)get(near, client, BOMBUS_TCP_SEND_BUFFER));
  IS(near, 65536, (long)get(near, client, BOMBUS_TCP_RECEIVE_BUFFER));
  IS(near, 0, (long)get(near, client, BOMBUS_TCP_MAC_PORT));
  IS(near, 0, (long)get(near, client, BOMBUS_TCP_SOFT_ERROR));
  IS(near, 0, bombus_tcp_set(near, client, BOMBUS_TCP_SOFT_ERROR, 0));
  FAILS(near, EINVAL, "should be 0", bombus_tcp_set(near, client, BOMBUS_TCP_SOFT_ERROR, 1));

  IS(near, 0, bombus_tcp_set(near, client, BOMBUS_TCP_CORK, 1));
  IS(near, sizeof big, bombus_tcp_send(near, client, big, sizeof big, 0, 0));
  run(1000);
  IS(far, 3 * mss, (long)get(far, server, BOMBUS_TCP_AVAILABLE));
  IS(near, 0, (long)get(near, client, BOMBUS_TCP_UNSENT));
  TRUE(get(near, client, BOMBUS_TCP_STATE) & BOMBUS_TCP_SENT);
  IS(near, 0, bombus_tcp_set(near, client, BOMBUS_TCP_CORK, 0));
  run(1000);
  IS(far, sizeof big, (long)get(far, server, BOMBUS_TCP_AVAILABLE));
  IS(far, sizeof big, bombus_tcp_receive(far, server, big, sizeof big, 0, 0));
  IS(near, 4, bombus_tcp_send(near, client, data, 4, BOMBUS_TCP_MORE, 0));
  IS(near, 0, bombus_tcp_write(near, client, data, 4, BOMBUS_TCP_MORE));
  run(1000);
  IS(far, 0, (long)get(far, server, BOMBUS_TCP_AVAILABLE));
  IS(near, 0, bombus_tcp_write(near, client, data, 0, 0)); /* nothing more */
  run(1000);
  IS(far, 8, (long)get(far, server, BOMBUS_TCP_AVAILABLE));

  IS(far, 0, bombus_tcp_shutdown(far, server, BOMBUS_TCP_SHUT_READ));
  IS(far, 0, (long)get(far, server, BOMBUS_TCP_AVAILABLE));
  IS(far, 1, (long)get(far, server, BOMBUS_TCP_AT_END));
  IS(far, 0, bombus_tcp_receive(far, server, data, sizeof data, 0, 0));
  for (int i = 0; i < 30; ++i)
    IS(near, sizeof big, bombus_tcp_send(near, client, big, sizeof big, 0, SECOND));
  IS(far, 1, bombus_tcp_send(far, server, data, 1, 0, 0));
  IS(far, 0, bombus_tcp_shutdown(far, server, BOMBUS_TCP_SHUT_BOTH));
  FAILS(far, EPIPE, "Broken pipe: ", bombus_tcp_send(far, server, data, 1, 0, 0));
  FAILS(far, EINVAL, "how", bombus_tcp_shutdown(far, server, 3));
  FAILS(far, EINVAL, "how", bombus_tcp_shutdown(far, server, -1));
  FAILS(near, EINVAL, "flags", bombus_tcp_send(near, client, data, 1, BOMBUS_TCP_PEEK, 0));
  FAILS(near, EINVAL, "flags", bombus_tcp_write(near, client, data, 1, 4));
  FAILS(near, EINVAL, "flags", bombus_tcp_receive(near, client, data, 1, BOMBUS_TCP_MORE, 0));

  const int chosen = bombus_tcp_connect(near, NULL, SERVER_IP, 80, 0, 4000, SECOND);
  IS(near, 4000, (long)get(near, chosen, BOMBUS_TCP_PORT));
  const int accepted = bombus_tcp_accept(far, listener, SECOND);
  IS(far, 4000, (long)get(far, accepted, BOMBUS_TCP_PEER_PORT));
  FAILS(near, EADDRINUSE, "Address already in use: the local port",
        bombus_tcp_connect(near, NULL, SERVER_IP, 80, 0, 4000, SECOND));
  FAILS(near, EINVAL, "own_port",
        bombus_tcp_connect(near, NULL, SERVER_IP, 80, 0, 65536, SECOND));
  FAILS(far, EADDRINUSE, "listening",
        bombus_tcp_open(far, NULL, CLIENT_IP, 81, 0, 80));
  for (int i = 0; i < 2; ++i) IS(near, 0, bombus_tcp_close(near, i ? chosen : client));
  for (int i = 0; i < 2; ++i) IS(far, 0, bombus_tcp_close(far, i ? accepted : server));
  settle();
}

static void resets(int listener) {
  uint8_t data[10] = {0};
  int client, server;
  connected(listener, 80, &client, &server);
  IS(near, 0, bombus_tcp_abort(near, client));
  FAILS(near, EBADF, "has been closed", bombus_tcp_send(near, client, data, 1, 0, 0));
  FAILS(far, ECONNRESET, "was reset", bombus_tcp_receive(far, server, data, 1, 0, SECOND));
  FAILS(far, ECONNRESET, "was reset", bombus_tcp_send(far, server, data, 1, 0, SECOND));
  FAILS(far, ECONNRESET, "was reset", bombus_tcp_write(far, server, data, 1, 0));
  IS(far, ECONNRESET, (long)get(far, server, BOMBUS_TCP_ERROR));
  TRUE(get(far, server, BOMBUS_TCP_STATE) & BOMBUS_TCP_RESET);
  IS(far, 0, bombus_tcp_close(far, server));
  FAILS(far, EBADF, "has been closed", bombus_tcp_close(far, server));
  FAILS(near, ECONNREFUSED, "Connection refused: the peer has refused it",
        bombus_tcp_connect(near, NULL, SERVER_IP, 81, 0, 0, 10 * SECOND));
  settle();
}

/* More connections than may wait, and than there are sessions. */
static void crowds(void) {
  int clients[SESSIONS], servers[SESSIONS];
  uint8_t byte;
  const int small = bombus_tcp_listen(far, NULL, 90, 2);
  IS(far, 2, (long)get(far, small, BOMBUS_TCP_BACKLOG));
  IS(far, 90, (long)get(far, small, BOMBUS_TCP_PORT));
  for (int i = 0; i < 3; ++i) {
    clients[i] = bombus_tcp_connect(near, NULL, SERVER_IP, 90, 0, 0, SECOND);
    TRUE(clients[i] > 0);
  }
  FAILS(near, ECONNRESET, "reset", bombus_tcp_receive(near, clients[2], &byte, 1, 0, SECOND));
  FAILS(near, ETIMEDOUT, "nothing", bombus_tcp_receive(near, clients[1], &byte, 1, 0, 1000));
  IS(far, 2, (long)get(far, small, BOMBUS_TCP_WAITING));
  const int accepted = bombus_tcp_accept(far, small, 0);
  TRUE(get(far, accepted, BOMBUS_TCP_PEER_PORT) == get(near, clients[0], BOMBUS_TCP_PORT));
  IS(far, 0, bombus_tcp_set(far, small, BOMBUS_TCP_BACKLOG, 0));
  IS(far, 0, bombus_tcp_close(far, small)); /* resets the one that waits */
  FAILS(near, ECONNRESET, "reset", bombus_tcp_receive(near, clients[1], &byte, 1, 0, SECOND));
  FAILS(far, EBADF, "has been closed", bombus_tcp_accept(far, small, 0));
  for (int i = 0; i < 3; ++i) IS(near, 0, bombus_tcp_close(near, clients[i]));
  IS(far, 0, bombus_tcp_close(far, accepted));
  settle();

  const int listener = bombus_tcp_listen(far, NULL, 91, 0);
  for (int i = 0; i < SESSIONS; ++i) connected(listener, 91, &clients[i], &servers[i]);
  int32_t numbers[SESSIONS];
  IS(near, SESSIONS, bombus_tcp_connections(near, NULL, numbers, 3));
  FAILS(near, ENOBUFS, "all sessions", bombus_tcp_connect(near, NULL, SERVER_IP, 91, 0, 0, SECOND));
  const int late = bombus_tcp_open(near, NULL, SERVER_IP, 91, 0, 0);
  run(1000);
  IS(near, ENOBUFS, (long)get(near, late, BOMBUS_TCP_ERROR));
  FAILS(near, ENOBUFS, "all sessions", bombus_tcp_await(near, late, BOMBUS_TCP_OPENED, 0));
  IS(near, 0, bombus_tcp_close(near, late));
  for (int i = 0; i < SESSIONS; ++i) {
    const uint8_t number = (uint8_t)i;
    IS(near, 1, bombus_tcp_send(near, clients[i], &number, 1, 0, SECOND));
    IS(far, 1, bombus_tcp_receive(far, servers[i], &byte, 1, 0, SECOND));
    IS(far, i, byte);
    IS(near, 0, bombus_tcp_close(near, clients[i]));
    IS(far, 0, bombus_tcp_close(far, servers[i]));
  }
  IS(far, 0, bombus_tcp_close(far, listener));
  settle();
}

/* A requested connection, step by step, by polling. */
static void polling(int listener) {
  bombus_tcp_news news[8];
  uint8_t byte = 7;
  while (bombus_tcp_poll(near, NULL, news, LENGTH(news)) > 0) continue;
  while (bombus_tcp_poll(far, NULL, news, LENGTH(news)) > 0) continue;
  const int client = bombus_tcp_open(near, NULL, SERVER_IP, 80, 0, 0);
  FAILS(near, ENOTCONN, "not open", bombus_tcp_send(near, client, &byte, 1, 0, 0));
  FAILS(near, ENOTCONN, "not open", bombus_tcp_receive(near, client, &byte, 1, 0, 0));
  FAILS(near, ENOTCONN, "not open", bombus_tcp_shutdown(near, client, BOMBUS_TCP_SHUT_WRITE));
  uint64_t value;
  FAILS(near, ENOTCONN, "not open", bombus_tcp_get(near, client, BOMBUS_TCP_SESSION, &value));
  FAILS(near, EAGAIN, "no connection", bombus_tcp_await(near, client, BOMBUS_TCP_OPENED, 0));
  FAILS(far, EAGAIN, "no connection", bombus_tcp_accept(far, listener, 0));
  IS(near, 0, bombus_tcp_poll(near, NULL, news, LENGTH(news)));
  run(1000);
  IS(near, 1, bombus_tcp_poll(near, NULL, news, LENGTH(news)));
  TRUE(news[0].connection == client && (news[0].changes & BOMBUS_TCP_OPENED));
  IS(near, 0, bombus_tcp_poll(near, NULL, news, LENGTH(news)));
  IS(far, 1, bombus_tcp_poll(far, NULL, news, LENGTH(news)));
  IS(far, news[0].connection, bombus_tcp_accept(far, listener, 0));
  const int server = news[0].connection;
  IS(near, 1, bombus_tcp_send(near, client, &byte, 1, 0, SECOND));
  run(1000);
  IS(far, 1, bombus_tcp_poll(far, NULL, news, LENGTH(news)));
  TRUE(news[0].connection == server && (news[0].changes & BOMBUS_TCP_READABLE));
  /* One that is given up before it opens, and one whose number is closed while it waits. */
  IS(near, 0, bombus_tcp_close(near, bombus_tcp_open(near, NULL, SERVER_IP, 80, 0, 0)));
  run(1000);
  FAILS(far, EAGAIN, "no connection", bombus_tcp_accept(far, listener, 0));
  const int other = bombus_tcp_connect(near, NULL, SERVER_IP, 80, 0, 0, SECOND);
  run(1000);
  IS(far, 1, (long)get(far, listener, BOMBUS_TCP_WAITING));
  while (bombus_tcp_poll(far, NULL, news, 1) == 1) continue;
  IS(far, 0, bombus_tcp_abort(far, news[0].connection));
  FAILS(far, EAGAIN, "no connection", bombus_tcp_accept(far, listener, 0));
  IS(near, 0, bombus_tcp_close(near, other));
  IS(near, 0, bombus_tcp_close(near, client));
  IS(far, 0, bombus_tcp_abort(far, server));
  settle();
}

static void misuse(int listener) {
  uint8_t byte = 0;
  uint64_t value;
  int32_t number;
  bombus_tcp_news news;
  int client, server;
  connected(listener, 80, &client, &server);
  const int bad[] = {0, -1, client + 1000, 1 << 30};
  for (size_t i = 0; i < LENGTH(bad); ++i) {
    FAILS(near, EBADF, "no socket", bombus_tcp_accept(near, bad[i], 0));
    FAILS(near, EBADF, "no socket", bombus_tcp_send(near, bad[i], &byte, 1, 0, 0));
    FAILS(near, EBADF, "no socket", bombus_tcp_write(near, bad[i], &byte, 1, 0));
    FAILS(near, EBADF, "no socket", bombus_tcp_receive(near, bad[i], &byte, 1, 0, 0));
    FAILS(near, EBADF, "no socket", bombus_tcp_shutdown(near, bad[i], BOMBUS_TCP_SHUT_WRITE));
    FAILS(near, EBADF, "no socket", bombus_tcp_close(near, bad[i]));
    FAILS(near, EBADF, "no socket", bombus_tcp_abort(near, bad[i]));
    FAILS(near, EBADF, "no socket", bombus_tcp_await(near, bad[i], BOMBUS_TCP_CLOSED, 0));
    FAILS(near, EBADF, "no socket", bombus_tcp_get(near, bad[i], BOMBUS_TCP_PORT, &value));
    FAILS(near, EBADF, "no socket", bombus_tcp_set(near, bad[i], BOMBUS_TCP_BACKLOG, 1));
  }
  FAILS(near, EINVAL, "not a listener", bombus_tcp_accept(near, client, 0));
  FAILS(far, EINVAL, "not a connection", bombus_tcp_send(far, listener, &byte, 1, 0, 0));
  FAILS(far, EINVAL, "not a connection", bombus_tcp_abort(far, listener));
  FAILS(near, ENOENT, "tile tcp", bombus_tcp_listen(near, "tcp", 80, 0));
  FAILS(near, ENOENT, "tile x", bombus_tcp_open(near, "x", SERVER_IP, 80, 0, 0));
  FAILS(near, ENOENT, "tile x", bombus_tcp_poll(near, "x", &news, 1));
  FAILS(near, ENOENT, "tile x", bombus_tcp_connections(near, "x", &number, 1));
  FAILS(near, EINVAL, "port", bombus_tcp_listen(near, "app", 0, 0));
  FAILS(near, EINVAL, "port", bombus_tcp_listen(near, "app", 65536, 0));
  FAILS(far, EADDRINUSE, "already", bombus_tcp_listen(far, "app", 80, 0));
  FAILS(near, EINVAL, "port", bombus_tcp_open(near, NULL, SERVER_IP, 0, 0, 0));
  FAILS(near, EINVAL, "MAC port", bombus_tcp_open(near, NULL, SERVER_IP, 80, 1, 0));
  FAILS(near, EINVAL, "timeout_us", bombus_tcp_connect(near, NULL, SERVER_IP, 80, 0, 0, 0));
  FAILS(near, EINVAL, "106 days", bombus_tcp_receive(near, client, &byte, 1, 0, UINT64_MAX));
  FAILS(near, EINVAL, "data", bombus_tcp_send(near, client, NULL, 1, 0, 0));
  FAILS(near, EINVAL, "length", bombus_tcp_send(near, client, &byte, 0, 0, 0));
  FAILS(near, EINVAL, "length", bombus_tcp_send(near, client, &byte, SIZE_MAX, 0, 0));
  FAILS(near, EINVAL, "data", bombus_tcp_write(near, client, NULL, 1, 0));
  IS(near, 0, bombus_tcp_write(near, client, NULL, 0, 0));
  FAILS(near, EINVAL, "data", bombus_tcp_receive(near, client, NULL, 1, 0, 0));
  FAILS(near, EINVAL, "capacity", bombus_tcp_receive(near, client, &byte, 0, 0, 0));
  FAILS(near, EINVAL, "news", bombus_tcp_poll(near, NULL, NULL, 1));
  FAILS(near, EINVAL, "connections", bombus_tcp_connections(near, NULL, NULL, 1));
  FAILS(near, EINVAL, "value", bombus_tcp_get(near, client, BOMBUS_TCP_PORT, NULL));
  FAILS(near, EINVAL, "conditions", bombus_tcp_await(near, client, 0, 0));
  FAILS(near, EINVAL, "conditions", bombus_tcp_await(near, client, BOMBUS_TCP_RESET, 0));
  FAILS(near, ENOPROTOOPT, "option", bombus_tcp_get(near, client, 0, &value));
  FAILS(near, ENOPROTOOPT, "option", bombus_tcp_get(near, client, BOMBUS_TCP_WAITING, &value));
  FAILS(far, ENOPROTOOPT, "option", bombus_tcp_get(far, listener, BOMBUS_TCP_STATE, &value));
  const uint64_t timeouts_ms[] = {1, 4294836, 0};
  for (int i = 0; i < 3; ++i) {
    IS(near, 0, bombus_tcp_set(near, client, BOMBUS_TCP_USER_TIMEOUT, timeouts_ms[i]));
    IS(near, 0, bombus_tcp_get(near, client, BOMBUS_TCP_USER_TIMEOUT, &value));
    TRUE(value == timeouts_ms[i]);
  }
  FAILS(near, EINVAL, "should be 0 to 4294836",
        bombus_tcp_set(near, client, BOMBUS_TCP_USER_TIMEOUT, 4294837));
  for (uint32_t i = BOMBUS_TCP_NODELAY; i <= BOMBUS_TCP_KEEPALIVE; ++i) {
    for (uint64_t wanted = 0; wanted <= 1; ++wanted) {
      IS(near, 0, bombus_tcp_set(near, client, i, wanted));
      IS(near, 0, bombus_tcp_get(near, client, i, &value));
      TRUE(value == wanted);
    }
    FAILS(near, EINVAL, "should be 0 or 1", bombus_tcp_set(near, client, i, 2));
  }
  FAILS(near, ENOPROTOOPT, "option", bombus_tcp_set(near, client, BOMBUS_TCP_PORT, 1));
  FAILS(far, ENOPROTOOPT, "option", bombus_tcp_set(far, listener, BOMBUS_TCP_PORT, 1));
  FAILS(far, EINVAL, "backlog", bombus_tcp_set(far, listener, BOMBUS_TCP_BACKLOG, 1ull << 32));
  interrupts = 3;
  FAILS(near, EINTR, "interrupted", bombus_tcp_receive(near, client, &byte, 1, 0, SECOND));
  /* None of this has harmed the connection. */
  IS(near, 1, bombus_tcp_send(near, client, &byte, 1, 0, SECOND));
  IS(far, 1, bombus_tcp_receive(far, server, &byte, 1, 0, SECOND));
  FAILS(near, ETIMEDOUT, "no connection with 10.77.0.9 port 80",
        bombus_tcp_connect(near, NULL, SERVER_IP + 7, 80, 0, 0, SECOND / 100));
  /* A reset of the design closes everything. */
  IS(near, 0, bombus_reset_core(near));
  FAILS(near, EBADF, "has been closed", bombus_tcp_send(near, client, &byte, 1, 0, 0));
  IS(near, 0, bombus_tcp_connections(near, NULL, NULL, 0));
}

static void without_simulator(void) {
  uint8_t byte;
  uint64_t value;
  FAILS(NULL, EINVAL, "sim", bombus_tcp_set_pass_time(NULL, NULL, NULL));
  FAILS(NULL, EINVAL, "sim", bombus_tcp_listen(NULL, NULL, 80, 0));
  FAILS(NULL, EINVAL, "sim", bombus_tcp_accept(NULL, 1, 0));
  FAILS(NULL, EINVAL, "sim", bombus_tcp_open(NULL, NULL, SERVER_IP, 80, 0, 0));
  FAILS(NULL, EINVAL, "sim", bombus_tcp_connect(NULL, NULL, SERVER_IP, 80, 0, 0, 0));
  FAILS(NULL, EINVAL, "sim", bombus_tcp_send(NULL, 1, &byte, 1, 0, 0));
  FAILS(NULL, EINVAL, "sim", bombus_tcp_write(NULL, 1, &byte, 1, 0));
  FAILS(NULL, EINVAL, "sim", bombus_tcp_receive(NULL, 1, &byte, 1, 0, 0));
  FAILS(NULL, EINVAL, "sim", bombus_tcp_shutdown(NULL, 1, BOMBUS_TCP_SHUT_WRITE));
  FAILS(NULL, EINVAL, "sim", bombus_tcp_close(NULL, 1));
  FAILS(NULL, EINVAL, "sim", bombus_tcp_abort(NULL, 1));
  FAILS(NULL, EINVAL, "sim", bombus_tcp_await(NULL, 1, BOMBUS_TCP_CLOSED, 0));
  FAILS(NULL, EINVAL, "sim", bombus_tcp_poll(NULL, NULL, NULL, 0));
  FAILS(NULL, EINVAL, "sim", bombus_tcp_get(NULL, 1, BOMBUS_TCP_PORT, &value));
  FAILS(NULL, EINVAL, "sim", bombus_tcp_set(NULL, 1, BOMBUS_TCP_BACKLOG, 1));
  FAILS(NULL, EINVAL, "sim", bombus_tcp_connections(NULL, NULL, NULL, 0));
}

int main(void) {
  static const bombus_options coarse = {.seed = 1, .timer_step_us = COARSE_US};
  without_simulator();
  bombus_sim **const ends[2] = {&far, &near};
  for (int i = 0; i < 2; ++i) {
    *ends[i] = bombus_open(&coarse);
    if (*ends[i] == NULL) return 1;
    IS(*ends[i], 0, bombus_tcp_set_pass_time(*ends[i], pass_time, NULL));
  }
  bombus_write_register(near, offsetof(tcp_host_t, host[0].ip), CLIENT_IP);
  bombus_write_register(near, offsetof(tcp_host_t, host[0].mac), 0x0B050002);
  bombus_write_register(near, offsetof(tcp_host_t, host[0].mac) + 4, 0x02B0);
  run(50);
  const int listener = bombus_tcp_listen(far, NULL, 80, 0);
  TRUE(listener > 0);
  half_close(listener);
  shut_window(listener);
  options(listener);
  resets(listener);
  crowds();
  polling(listener);
  misuse(listener);
  bombus_errors errors;
  for (int i = 0; i < 2; ++i) {
    static const bombus_errors none;
    IS(*ends[i], 0, bombus_get_errors(*ends[i], &errors));
    TRUE(memcmp(&errors, &none, sizeof errors) == 0);
    bombus_close(*ends[i]); /* far has open connections */
  }
  return failures != 0;
}
