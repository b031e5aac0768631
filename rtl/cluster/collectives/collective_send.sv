// SPDX-License-Identifier: Apache-2.0
// Sends packets of a vector, and its result, from the memory of cluster_collective.
//
// The packets with which a transfer starts at this board come first: numbers first_i,
// first_i + step_i and so on. Then follow those that were received and stored (forward_i). Packets
// that wait at each board bridge the latency of a hop. If received packets came first, those that
// are left at the start would follow in a second round of all hops, with half of the links idle.
//
// Latency: 4 cycles from forward_i to the first beat. Throughput: one beat per cycle, and one more
// cycle per packet for its first beat.
`include "bombus_assert.svh"

module collective_send
  import cluster_pkg::*;
  import collective_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned DataWidth = 128,
    parameter int unsigned MaxBeats = 4096,
    parameter int unsigned PacketBeats = 32,
    parameter int unsigned MaxPackets = 128,  // that can wait: all of a vector; a power of two
    localparam type data_t = logic [DataWidth-1:0],
    localparam type addr_t = logic [$clog2(MaxBeats)-1:0]
) (
    input logic clk_i,
    input logic rst_i,

    // The operation; starts_i: pulse before its first cycle
    input command_t command_i,
    input ring_t ring_i,
    input index_t packets_i,
    input logic starts_i,
    input logic abort_i,  // sends only the rest of a packet
    input logic has_first_i,  // packets start here
    input index_t first_i,
    input index_t step_i,
    input hop_t hop_i,  // of these packets

    input stored_t forward_i,
    input logic forward_valid_i,  // at most MaxPackets wait

    input addr_t write_addr_i,
    input data_t write_data_i,
    input logic  write_i,

    output logic started_o,    // pulse: a packet that starts here is read
    output logic is_sending_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,

    // Beats of the whole vector
    input  logic  gives_result_i,
    output data_t result_o,
    output logic  result_last_o,
    output logic  result_valid_o,
    input  logic  result_ready_i
);

  localparam int unsigned Words = DataWidth / WordBits;
  localparam int unsigned PacketShift = $clog2(PacketBeats);

  // ---- The next packet, or all beats as the result ----

  typedef struct packed {
    stored_t packet;
    logic has_head;  // its first beat is not read yet
    logic is_result;
    addr_t addr;
    beats_t left;  // beats after this one
  } reading_t;

  stored_t queued;
  logic queued_valid;
  logic [IndexBits:0] first_q;  // the next packet that starts here
  wire starts_left = has_first_i & first_q < {1'b0, packets_i};

  reading_t reading_q, next;
  logic reads_q, result_given_q;
  logic advances;  // a beat is read
  wire  is_last = reading_q.left == '0;
  wire  takes = ~reads_q | (advances & is_last);
  wire  gives = gives_result_i & ~result_given_q;
  wire  has_next = queued_valid | starts_left | gives;
  assign started_o = takes & starts_left;

  block_fifo #(
      .data_t(stored_t),
      .Depth (MaxPackets)
  ) u_queue (
      .clk_i,
      .rst_i  (rst_i | abort_i),
      .data_i (forward_i),
      .write_i(forward_valid_i),
      .data_o (queued),
      .valid_o(queued_valid),
      .ready_i(takes & ~starts_left)
  );

  always_comb begin
    next = '0;
    next.packet = starts_left ? '{index: first_q[IndexBits-1:0], hop: hop_i} : queued;
    next.is_result = ~queued_valid & ~starts_left;
    next.has_head = ~next.is_result;
    next.addr = addr_t'({next.packet.index, {PacketShift{1'b0}}});
    next.left = beats_t'(data_beats(command_i, next.packet.index, PacketBeats));
    if (next.is_result) begin
      next.addr = '0;
      next.left = command_i.beats - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (takes) begin
      reading_q <= next;
    end else if (advances) begin
      reading_q.has_head <= 1'b0;
      reading_q.left <= reading_q.left - 1'b1;
      if (~reading_q.has_head) reading_q.addr <= reading_q.addr + 1'b1;
    end
    if (starts_i) first_q <= {1'b0, first_i};
    else if (started_o) first_q <= first_q + {1'b0, step_i};
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      reads_q <= 1'b0;
      result_given_q <= 1'b0;
    end else begin
      if (takes) reads_q <= has_next & ~abort_i;
      if (starts_i) result_given_q <= 1'b0;
      if (takes & has_next & next.is_result) result_given_q <= 1'b1;
    end
  end

  // ---- Reading ----

  typedef struct packed {
    header_t header;
    packet_t packet;
    logic is_head;
    logic is_result;
    logic last;
  } read_t;

  read_t read_q;
  addr_t read_addr_q;
  logic read_valid_q, out_ready, result_ready;
  data_t data;
  assign advances = reads_q & (~read_valid_q | (read_q.is_result ? result_ready : out_ready));
  wire read_leaves = read_q.is_result ? result_ready : out_ready;

  always_ff @(posedge clk_i) begin
    if (advances) begin
      read_q.header <= '0;
      read_q.header.destination <= ring_i.following;
      // Constant in a packet: the first beat and those after it
      if (reading_q.has_head) read_q.header.length <= length_t'((32'(reading_q.left) + 1) * Words);
      else read_q.header.length <= read_q.header.length;
      read_q.packet <= '{
          unused: '0,
          tag: command_i.tag,
          op: command_i.op,
          hop: reading_q.packet.hop,
          index: reading_q.packet.index
      };
      read_q.is_head <= reading_q.has_head;
      read_q.is_result <= reading_q.is_result;
      read_q.last <= is_last;
      read_addr_q <= reading_q.addr;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) read_valid_q <= 1'b0;
    else read_valid_q <= advances | (read_valid_q & ~read_leaves);
  end

  sized_memory #(
      .data_t(data_t),
      .Depth (MaxBeats)
  ) u_memory (
      .clk_i,
      .write_addr_i,
      .data_i(write_data_i),
      .write_i,
      .read_addr_i(advances ? reading_q.addr : read_addr_q),
      .data_o(data)
  );

  beat_t beat;
  always_comb begin
    beat = '0;
    beat.header = read_q.header;
    beat.last = read_q.last;
    beat.data = read_q.is_head ? DataWidth'(read_q.packet) : data;
  end

  skid_buffer #(
      .data_t(beat_t)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(beat),
      .in_valid_i(read_valid_q & ~read_q.is_result),
      .in_ready_o(out_ready),
      .out_o,
      .out_valid_o,
      .out_ready_i
  );

  skid_buffer #(
      .data_t(logic [DataWidth:0])
  ) u_result (
      .clk_i,
      .rst_i,
      .in_i({read_q.last, data}),
      .in_valid_i(read_valid_q & read_q.is_result),
      .in_ready_o(result_ready),
      .out_o({result_last_o, result_o}),
      .out_valid_o(result_valid_o),
      .out_ready_i(result_ready_i)
  );

  assign is_sending_o = reads_q | queued_valid | starts_left | read_valid_q;

  `BOMBUS_ASSERT(WithinTheVector,
                 ~reads_q | reading_q.has_head | command_i.beats > beats_t'(reading_q.addr))

endmodule
