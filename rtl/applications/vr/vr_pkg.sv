// SPDX-License-Identifier: Apache-2.0
// Messages of Viewstamped Replication as bytes (docs/applications/vr/wire.md), and the state of a
// witness.
package vr_pkg;

  parameter int unsigned LineBytes = 64;  // of the log and of a beat
  parameter int unsigned HeaderBytes = 13;  // magic, type, size
  parameter int unsigned FragmentBytes = 28;  // header of a fragment
  parameter int unsigned NumWords = 6;  // fields of 8 bytes in the first beat of a message
  parameter int unsigned MaxReplicas = 8;

  typedef logic [8*LineBytes-1:0] line_t;
  typedef logic [47:0] number_t;  // of a view or an operation
  typedef logic [2:0] replica_t;
  typedef logic [NumWords-1:0][63:0] words_t;
  typedef logic [15:0] writes_t;  // number of a line written to the log, modulo 2^16
  typedef logic [9:0] count_t;  // of lines, or of requests, in a message

  parameter logic [31:0] Magic = 32'h20050318;  // byte 0 lowest
  parameter logic [31:0] FragmentMagic = 32'h20101010;
  parameter logic [31:0] Version = 1;  // of recovery and set-up

  parameter logic [7:0] TypePrepare = 8'd5;
  parameter logic [7:0] TypePrepareOk = 8'd6;
  parameter logic [7:0] TypeCommit = 8'd7;
  parameter logic [7:0] TypeRequestStateTransfer = 8'd8;
  parameter logic [7:0] TypeStateTransfer = 8'd9;
  parameter logic [7:0] TypeStartViewChange = 8'd10;
  parameter logic [7:0] TypeDoViewChange = 8'd11;
  parameter logic [7:0] TypeStartView = 8'd12;
  parameter logic [7:0] TypeValidateRead = 8'd13;
  parameter logic [7:0] TypeValidateReadReply = 8'd14;
  parameter logic [7:0] TypeSetUp = 8'd128;
  parameter logic [7:0] TypeSetUpReply = 8'd129;
  parameter logic [7:0] TypeRecovery = 8'd130;
  parameter logic [7:0] TypeRecoveryResponse = 8'd131;

  typedef enum logic [2:0] {
    StateOff,
    StateRecovering,
    StateFetching,
    StateNormal,
    StateViewChange
  } state_e;

  typedef struct packed {
    logic [31:0] ip;
    logic [15:0] port;
  } address_t;

  // Of a Prepare.
  typedef struct packed {
    logic [63:0] client;
    logic [63:0] number;
    logic        too_long;  // more bytes than a message has
    logic [13:0] bytes;     // of the operation
  } request_t;

  // A big-endian number of 8 bytes and back.
  function automatic logic [63:0] swap64(logic [63:0] x);
    return {x[7:0], x[15:8], x[23:16], x[31:24], x[39:32], x[47:40], x[55:48], x[63:56]};
  endfunction

  // The big-endian number whose first byte is at this position of a line.
  function automatic logic [63:0] word_at(line_t line, int unsigned position);
    return swap64(line[8*position+:64]);
  endfunction

  // The fields of 8 bytes that follow the header.
  function automatic words_t words_of(line_t line);
    for (int unsigned w = 0; w < NumWords; w++) words_of[w] = word_at(line, HeaderBytes + 8 * w);
  endfunction

endpackage
