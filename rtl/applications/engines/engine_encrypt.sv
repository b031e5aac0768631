// SPDX-License-Identifier: Apache-2.0
// Engine that encrypts or decrypts UDP datagrams with ChaCha (RFC 8439; 20 rounds or fewer), a
// stream cipher: applied twice, it returns the plain text.
//
// A datagram starts with an initialization vector of 8 bytes, which is not encrypted; all bytes
// after it are. The nonce follows RFC 7634: a salt of 4 bytes, then the vector; the first block has
// the number 1. There is no authentication. Other packets, and datagrams too short for the vector,
// pass unchanged.
//
// The key and the salt are registers (engine_encrypt.rdl).
//
// Latency: 4 * Rounds + 7 cycles. Throughput: one beat per cycle.
module engine_encrypt
  import engine_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type regs_t = logic,  // from engine_encrypt.rdl
    parameter int unsigned Rounds = 20,  // see chacha_block
    parameter int unsigned Engine = 2,  // its number in engine sequences
    parameter bit CutsReady = 0,  // passed to output_stage
    // Engines that may follow, filled in by Bombus
    parameter int unsigned NumBound = 1,
    parameter int unsigned NumBoundHops = 1,
    parameter logic [NumBound-1:0][15:0] BoundKeys = '0,
    parameter logic [NumBound-1:0][7:0] BoundHops = '0,
    localparam int unsigned NextWidth = NumBoundHops > 1 ? $clog2(NumBoundHops) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input regs_t regs_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic  [NextWidth-1:0] out_next_o,

    output logic [1:0] event_o,
    output logic       busy_o
);

  localparam string Entry = "engine_encrypt";
  localparam string Takes = "engine_packet";
  localparam string Sends = "engine_packet";
  localparam bit Forwards = 1'b1;
  localparam string Binds = "engine";
  localparam int unsigned BindsWidth = 5;
  typedef enum int unsigned {NextBound} next_e;
  typedef enum int unsigned {
    EventEncrypted,
    EventPlain,  // passed unchanged
    NumEvents
  } event_e;

  localparam int unsigned IvBytes = 8;
  localparam int unsigned TextByte = UdpPayloadByte + IvBytes;
  localparam int unsigned DataBytes = engine_pkg::DataWidth / 8;
  localparam int unsigned HeadBytes = DataBytes - TextByte;  // bytes of a block in its first beat

  // ---- Input: one block of key stream per beat ----

  engine_packet_meta_t arrived;
  assign arrived = engine_packet_meta_t'(in_i.meta);
  wire is_text = arrived.is_udp & in_i.length >= 14'(TextByte);
  logic first, taken, is_text_q;

  // For the beat taken one cycle ago.
  logic fetch_q;
  logic [8*IvBytes-1:0] iv_q;
  logic [7:0] block_q;
  always_ff @(posedge clk_i) begin
    if (taken) begin
      is_text_q <= first ? is_text : is_text_q;
      block_q   <= first ? 8'd1 : block_q + 1'b1;
    end
    if (taken & first) iv_q <= in_i.data[8*UdpPayloadByte+:8*IvBytes];
    fetch_q <= taken & ~rst_i;
  end

  logic [511:0] made;
  logic made_valid;
  chacha_block #(
      .Rounds(Rounds)
  ) u_cipher (
      .clk_i,
      .rst_i,
      .key_i  (regs_i.key.bits),
      .nonce_i({iv_q, regs_i.salt.bits}),
      .block_i(block_q),
      .valid_i(fetch_q),
      .block_o(made),
      .valid_o(made_valid)
  );

  // ---- Store beats until their key stream is ready ----

  beat_t stored, encrypted;
  logic stored_first, stored_is_text, stored_taken;
  logic [511:0] blocks;
  engine_store #(
      .beat_t(beat_t),
      .digest_t(logic [511:0]),
      .PerBeat(1),
      .Depth(512),
      .Engine(Engine),
      .CutsReady(CutsReady),
      .NumBound(NumBound),
      .NumBoundHops(NumBoundHops),
      .BoundKeys(BoundKeys),
      .BoundHops(BoundHops)
  ) u_store (
      .in_first_o(first),
      .in_taken_o(taken),
      .info_i(first ? is_text : is_text_q),
      .digest_i(made),
      .digest_valid_i(made_valid),
      .stored_o(stored),
      .stored_first_o(stored_first),
      .stored_info_o(stored_is_text),
      .stored_digest_o(blocks),
      .stored_taken_o(stored_taken),
      .changed_i(encrypted),
      .*
  );

  // ---- Output: the text starts in the middle of a beat, so blocks straddle two beats ----

  logic [8*TextByte-1:0] rest_q;  // rest of the previous block
  always_ff @(posedge clk_i) if (stored_taken) rest_q <= blocks[511:8*HeadBytes];

  always_comb begin
    encrypted = stored;
    for (int unsigned b = 0; b < DataBytes; b++) begin
      if (stored_is_text && !(stored_first && b < TextByte) &&
          (!stored.last || b < 32'(stored.bytes))) begin
        encrypted.data[8*b+:8] ^=
            b < TextByte ? rest_q[8*(b%TextByte)+:8] : blocks[8*((b+HeadBytes)%DataBytes)+:8];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    event_o[EventEncrypted] <= stored_taken & stored_first & stored_is_text;
    event_o[EventPlain] <= stored_taken & stored_first & ~stored_is_text;
    if (rst_i) event_o <= '0;
  end

endmodule
