// SPDX-License-Identifier: Apache-2.0
/* Two simulated stacks at the ends of a wire: a client sends a request, a server answers. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "bombus_tcp.h"
#include "tcp_host_registers.h" /* of `bombus generate` */

#define SERVER_IP 0x0A4D0002 /* 10.77.0.2, from the design file */
#define CLIENT_IP 0x0A4D0003
#define FOREVER 10000000 /* us of virtual time */

static bombus_sim *ends[2];

static void carry(bombus_sim *from, bombus_sim *to) {
  uint8_t frame[9600];
  int length;
  while ((length = bombus_receive_frame(from, 0, frame, sizeof frame, NULL)) > 0)
    bombus_send_frame(to, 0, frame, (size_t)length, 0);
}

/* What waiting does, in either simulator: time passes in both, and frames cross. */
static int pass_time(void *context, uint64_t microseconds) {
  (void)context;
  int busy = bombus_in_flight(ends[0]) || bombus_in_flight(ends[1]);
  uint64_t step = busy ? 2 : 500;
  if (step > microseconds) step = microseconds;
  for (int i = 0; i < 2; ++i) {
    int status = bombus_elapse_us(ends[i], step);
    if (status < 0) return status;
  }
  carry(ends[0], ends[1]);
  carry(ends[1], ends[0]);
  for (int i = 0; i < 2; ++i) bombus_tcp_poll(ends[i], NULL, NULL, 0); /* reads what has come */
  return 0;
}

int main(void) {
  for (int i = 0; i < 2; ++i) {
    ends[i] = bombus_open(NULL);
    if (ends[i] == NULL) return 1;
    bombus_tcp_set_pass_time(ends[i], pass_time, NULL);
  }
  bombus_sim *server = ends[0], *client = ends[1];
  bombus_write_register(client, offsetof(tcp_host_t, host[0].ip), CLIENT_IP);
  bombus_write_register(client, offsetof(tcp_host_t, host[0].mac), 0x0B050002);
  bombus_write_register(client, offsetof(tcp_host_t, host[0].mac) + 4, 0x02B0);

  int listener = bombus_tcp_listen(server, NULL, 80, 4);
  int near = bombus_tcp_connect(client, NULL, SERVER_IP, 80, 0, 0, FOREVER);
  if (near < 0) {
    fprintf(stderr, "connect: %s\n", bombus_last_error(client));
    return 1;
  }
  int far = bombus_tcp_accept(server, listener, FOREVER);

  char request[100], answer[100];
  bombus_tcp_send(client, near, (const uint8_t *)"world", 5, 0, FOREVER);
  bombus_tcp_shutdown(client, near, BOMBUS_TCP_SHUT_WRITE);
  int length = bombus_tcp_receive(server, far, (uint8_t *)request, sizeof request, 0, FOREVER);
  if (length < 0) return 1;
  length = snprintf(answer, sizeof answer, "hello, %.*s", length, request);
  bombus_tcp_send(server, far, (const uint8_t *)answer, (size_t)length, 0, FOREVER);
  bombus_tcp_close(server, far);

  length = bombus_tcp_receive(client, near, (uint8_t *)answer, sizeof answer, 0, FOREVER);
  printf("%.*s\n", length, answer);
  bombus_tcp_close(client, near);
  for (int i = 0; i < 2; ++i) bombus_close(ends[i]);
  return 0;
}
