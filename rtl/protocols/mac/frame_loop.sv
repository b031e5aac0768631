// SPDX-License-Identifier: Apache-2.0
// Loopback of a middlebox: returns frames that packet processors send to a MAC port without a MAC
// to the packet processors, as if received on that port.
//
// A frame is stored whole before it is forwarded, as in frame_rx. Credits count the free beats and
// frames of the store; without credits the input stalls, and no frame is lost. Processors that send
// to each other could then deadlock. With DropsWhenFull, a frame that does not fit is dropped and
// counted instead.
//
// The flow identification, for dispatch among processors, is computed from the frame as in
// frame_rx. With KeepsFlow it is instead a number that the sender writes into meta.ip, so that a
// program can address a processor; it is forwarded as the ports, with address 0.
//
// Latency: 4 cycles from the last beat in to the first beat out. Throughput: one beat per cycle.
`include "bombus_assert.svh"

module frame_loop
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned MacPort = 2,  // MAC port number by which processors send to it
    parameter int unsigned DataWidth = 512,
    parameter bit DropsWhenFull = 0,
    parameter bit KeepsFlow = 0
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t       out_o,
    output logic        out_valid_o,
    input  logic        out_ready_i,
    output logic  [0:0] out_next_o,
    output logic  [1:0] drop_o,
    output logic        busy_o
);

  localparam string Entry = "frame_loop";
  localparam bit AlwaysTakes = DropsWhenFull;
  localparam int unsigned MaxBusyCycles = DropsWhenFull ? 4096 : 0;  // 0: waits for the processors
  typedef enum logic [0:0] {NextRpu} next_e;
  typedef enum int unsigned {
    DropTooLong,
    DropOverflow,
    NumDrops
  } drop_e;

  localparam int unsigned DataBytes = DataWidth / 8;
  // Capacity of the store of frame_rx.
  localparam int unsigned Beats = 32768 * 8 / DataWidth;
  localparam int unsigned Frames = Beats < 1024 ? Beats : 1024;
  typedef struct packed {struct packed {logic hold;} gate;} regs_t;

  logic [DataBytes-1:0] keep;
  for (genvar b = 0; b < DataBytes; b++) begin : gen_keep
    assign keep[b] = ~in_i.last | ($clog2(DataBytes) + 1)'(b) < in_i.bytes;
  end

  // Frames that are too long are dropped before the store, which would free their space late.
  logic first, drops_q, too_long_q;
  wire too_long = first ? in_i.length > 14'(MaxFrameBytes) : drops_q;
  wire taken = in_valid_i & in_ready_o;
  wire stores = taken & ~too_long;
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .last_i (in_i.last),
      .first_o(first)
  );
  always_ff @(posedge clk_i) begin
    if (taken) drops_q <= too_long;
    too_long_q <= taken & too_long & in_i.last & ~rst_i;
  end

  if (DropsWhenFull) begin : gen_drops
    assign in_ready_o = 1'b1;
  end else begin : gen_credits
    // Credits for frame_store. A credit returns when the beat has left, some cycles after its
    // space is free.
    logic [$clog2(Beats):0] beats_q;
    logic [$clog2(Frames):0] frames_q;
    wire sent = out_valid_o & out_ready_i;
    wire beat_in = stores & ~sent;
    wire beat_out = sent & ~stores;
    wire frame_in = stores & in_i.last & ~(sent & out_o.last);
    wire frame_out = sent & out_o.last & ~(stores & in_i.last);
    always_ff @(posedge clk_i) begin
      // Two credits are reserved for beats in flight.
      in_ready_o <= ~rst_i & beats_q < ($clog2(
          Beats
      ) + 1)'(Beats - 2) & frames_q < ($clog2(
          Frames
      ) + 1)'(Frames - 2);
      beats_q <= beats_q + ($clog2(Beats) + 1)'(beat_in) - ($clog2(Beats) + 1)'(beat_out);
      frames_q <= frames_q + ($clog2(Frames) + 1)'(frame_in) - ($clog2(Frames) + 1)'(frame_out);
      if (rst_i) {beats_q, frames_q} <= '0;
    end
    `BOMBUS_ASSERT(BeatCredits, 32'(beats_q) <= Beats && !(sent && beats_q == '0))
    `BOMBUS_ASSERT(FrameCredits, 32'(frames_q) <= Frames && !(sent && frames_q == '0))
  end

  beat_t frame;
  logic [2:0] drops;
  logic unused_waits;
  logic stored, unused_ready;  // a frame was stored or dropped
  length_t unused_bytes;
  frame_rx #(
      .beat_t(beat_t),
      .regs_t(regs_t),
      .MacPort(MacPort),
      .DataWidth(DataWidth)
  ) u_frames (
      .clk_i,
      .rst_i,
      .hold_i(1'b0),
      .mac_rx_tdata_i(in_i.data),
      .mac_rx_tkeep_i(keep),
      .mac_rx_tvalid_i(stores),
      .mac_rx_tready_o(unused_ready),
      .mac_rx_tlast_i(in_i.last),
      .mac_rx_tuser_i(1'b0),
      .out_o(frame),
      .out_valid_o,
      .out_ready_i,
      .out_next_o,
      .drop_o(drops),
      .regs_i('0),
      .mac_message_o(stored),
      .mac_bytes_o(unused_bytes),
      .busy_o,
      .waits_o(unused_waits)
  );

  if (KeepsFlow) begin : gen_keeps_flow
    logic [31:0] start_q, arrived_q, end_q, kept;  // of the arriving frame; delayed by 1, 2 cycles
    logic unused_valid;
    always_ff @(posedge clk_i) begin
      if (taken & first) start_q <= in_i.meta.ip;
      arrived_q <= first ? in_i.meta.ip : start_q;
      end_q <= arrived_q;
    end
    // Written before the frame reaches the output.
    block_fifo #(
        .data_t(logic [31:0]),
        .Depth (Frames)
    ) u_flows (
        .clk_i,
        .rst_i,
        .data_i (end_q),
        .write_i(stored & ~|drops),
        .data_o (kept),
        .valid_o(unused_valid),
        .ready_i(out_valid_o & out_ready_i & frame.last)
    );
    always_comb begin
      out_o = frame;
      out_o.meta.ip = '0;
      out_o.meta.l4.ports = kept;
    end
  end else begin : gen_new_flow
    assign out_o = frame;
    wire unused_stored = stored;
  end
  assign drop_o[DropTooLong]  = too_long_q;
  assign drop_o[DropOverflow] = drops[2];
  wire unused = ^drops[1:0];

endmodule
