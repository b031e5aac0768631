// SPDX-License-Identifier: Apache-2.0
// The processor host: messages that packet processors send to a MAC port without a MAC leave by an
// AXI-Stream that the design file raises to the top; messages from this host arrive at the
// processors as if received on that port. In simulation these streams lead to `Simulation.host` in
// Python, on a board to the DMA of a computer.
//
// To the host, a frame is stored whole, up to 32 KiB and 1,024 frames (512 at 512 bits). A frame
// for which there is no room is dropped and counted: a host that does not read never stalls the
// processors. From the host, frames wait until the processors take them; the layer stores at most
// one beat.
//
// tuser carries with the first beat, from bit 0 on, the kind (8 bits, 0), the length (16) and the
// metadata of the message (packet_meta_t). To the host, meta.ip is a word of the sender's firmware
// (rpu_host.h), and meta.csum identifies the sender (rpu). From the host, the host sets all fields
// but mac_port: the processor reads them in its view, and address and ports select one of a group
// under flow_hash. The length must be right, and the beats must arrive without waiting for any
// other event.
//
// Latency: 5 cycles from the last beat of a frame to the first beat to the host, 1 from the host.
// Throughput: one beat per cycle each way.
module rpu_host
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned MacPort = 2,  // MAC port number of the host
    parameter int unsigned DataWidth = 512,
    localparam int unsigned DataBytes = DataWidth / 8,
    localparam int unsigned UserWidth = $bits(packet_meta_t) + 24
) (
    input logic clk_i,
    input logic rst_i,

    output logic [DataWidth-1:0] host_out_tdata_o,
    output logic [DataBytes-1:0] host_out_tkeep_o,
    output logic host_out_tvalid_o,
    input logic host_out_tready_i,
    output logic host_out_tlast_o,
    output logic [UserWidth-1:0] host_out_tuser_o,
    input logic [DataWidth-1:0] host_in_tdata_i,
    input logic [DataBytes-1:0] host_in_tkeep_i,
    input logic host_in_tvalid_i,
    output logic host_in_tready_o,
    input logic host_in_tlast_i,
    input logic [UserWidth-1:0] host_in_tuser_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,

    output logic [0:0] drop_o,
    output logic [1:0] event_o,
    output logic       busy_o
);

  localparam string Entry = "rpu_host";
  localparam bit AlwaysTakes = 1'b1;
  localparam bit Replicable = 1'b0;
  localparam string HostOutSends = "packet";
  localparam string HostInTakes = "packet";
  typedef enum logic [0:0] {NextRpu} next_e;
  typedef enum int unsigned {
    DropOverflow,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventToHost,
    EventFromHost,
    NumEvents
  } event_e;

  if (MacPort >= MaxMacPorts) begin : gen_bad_port
    $error("mac_port must be below %0d", MaxMacPorts);
  end

  typedef struct packed {
    packet_meta_t meta;
    logic [15:0]  length;
    logic [7:0]   kind;
  } user_t;

  // ---- To the host ----

  assign in_ready_o = 1'b1;
  beat_t in_q;
  user_t user_q;
  logic valid_q, first;
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(in_valid_i),
      .last_i (in_i.last),
      .first_o(first)
  );
  always_ff @(posedge clk_i) begin
    in_q <= in_i;
    if (in_valid_i & first) begin
      user_q <= '{
          meta: packet_meta_t'(in_i.meta),
          length: 16'(in_i.length),
          kind: 8'(KindPacket)
      };
    end
    valid_q <= in_valid_i & ~rst_i;
  end

  beat_t frame;
  user_t user;
  logic frame_valid, frame_ready, good, holds, unused_message, unused_waits;
  logic [ 2:0] drops;
  logic [13:0] unused_bytes;
  frame_store #(
      .beat_t(beat_t),
      .info_t(user_t),
      .DataWidth(DataWidth)
  ) u_store (
      .clk_i,
      .rst_i,
      .hold_i(1'b0),
      .valid_i(valid_q),
      .data_i(in_q.data),
      .bytes_i(in_q.bytes),
      .store_i(1'b1),
      .last_i(in_q.last),
      .frame_last_i(in_q.last),
      .bad_i(1'b0),
      .too_long_i(1'b0),
      .length_i('0),
      .good_o(good),
      .info_i(user_q),
      .info_valid_i(good),
      .out_o(frame),
      .info_o(user),
      .out_valid_o(frame_valid),
      .out_ready_i(frame_ready),
      .drop_o(drops),
      .mac_message_o(unused_message),
      .mac_bytes_o(unused_bytes),
      .holds_o(holds),
      .waits_o(unused_waits)
  );
  to_axi_stream #(
      .beat_t(beat_t),
      .DataWidth(DataWidth),
      .UserWidth(UserWidth)
  ) u_to_host (
      .clk_i,
      .rst_i,
      .in_i(frame),
      .in_valid_i(frame_valid),
      .in_ready_o(frame_ready),
      .user_i(user),
      .tdata_o(host_out_tdata_o),
      .tkeep_o(host_out_tkeep_o),
      .tvalid_o(host_out_tvalid_o),
      .tready_i(host_out_tready_i),
      .tlast_o(host_out_tlast_o),
      .tuser_o(host_out_tuser_o)
  );
  assign drop_o[DropOverflow] = drops[2];

  // ---- From the host ----

  user_t given;
  packet_meta_t meta;
  assign given = host_in_tuser_i;
  always_comb begin
    meta = given.meta;
    meta.mac_port = mac_port_t'(MacPort);
  end
  from_axi_stream #(
      .beat_t(beat_t),
      .DataWidth(DataWidth),
      .MetaWidth($bits(packet_meta_t)),
      .Kind(KindPacket)
  ) u_from_host (
      .tdata_i (host_in_tdata_i),
      .tkeep_i (host_in_tkeep_i),
      .tvalid_i(host_in_tvalid_i),
      .tready_o(host_in_tready_o),
      .tlast_i (host_in_tlast_i),
      .meta_i  (meta),
      .length_i(given.length[13:0]),
      .*
  );

  logic inside_q;  // a message from the host has begun
  always_ff @(posedge clk_i) begin
    if (rst_i) inside_q <= 1'b0;
    else if (host_in_tvalid_i & host_in_tready_o) inside_q <= ~host_in_tlast_i;
    event_o[EventToHost]   <= frame_valid & frame_ready & frame.last & ~rst_i;
    event_o[EventFromHost] <= out_valid_o & out_ready_i & out_o.last & ~rst_i;
  end

  assign busy_o = valid_q | ~first | holds | host_out_tvalid_o | out_valid_o | inside_q;
  wire unused = ^{drops[1:0], in_q.kind, in_q.length, in_q.meta, given.length[15:14], given.kind};

endmodule
