// SPDX-License-Identifier: Apache-2.0
// Input of the crosspoint router: finds the queues that a message may enter, selects one with room,
// and writes the whole message to it.
//
// Lossless: a mesh input signals to the upstream router which queues (channels) have room for a
// whole message, so a message that arrives has room. The local input has ready and valid: it takes
// a first flit when MaxPacket flits have room, then one flit at a time. Dropping (Lossless = 0): a
// message that does not fit as a whole is discarded and counted; always ready (HiPerNoC, section
// III-B).
//
// Latency: 0 cycles to the queue. Throughput: one flit per cycle.
`include "bombus_assert.svh"

module crosspoint_input
  import noc_pkg::*;
#(
    parameter type flit_t = logic,
    parameter int unsigned Input = 0,  // dir_e
    parameter routing_e Routing = RoutingXY,
    parameter bit Lossless = 1,
    parameter logic [NumDirs-1:0] Queues = '1,  // channels that exist
    parameter int unsigned Depth = 512,  // flits per queue
    // Flits that always fit into a queue once a message starts
    parameter int unsigned MaxPacket = 24,
    localparam type level_t = logic [$clog2(Depth):0]
) (
    input logic clk_i,
    input logic rst_i,

    input logic [7:0] x_i,  // position of the router
    input logic [7:0] y_i,

    input flit_t in_i,
    input logic in_valid_i,
    output logic [NumDirs-1:0] in_ready_o,  // by channel; the local input has channel 0
    output logic [NumDirs-1:0] open_o,  // XY: channels that can take any flit now

    input level_t [NumDirs-1:0] level_i,  // flits in each channel's queue
    output logic [NumDirs-1:0] push_o,  // by channel, one-hot or zero
    // By output of this router: the channels of the next router that the message may take.
    output logic [NumDirs-1:0][NumDirs-1:0] next_channels_o,
    output logic drop_o
);

  localparam logic Splits = Lossless && is_split(Routing, Input, int'(opposite(Input)));

  function automatic int unsigned depth_of(int unsigned channel);
    return Splits && (channel == Input || channel == int'(opposite(Input))) ? Depth / 2 : Depth;
  endfunction

  if (Input >= NumDirs || MaxPacket < 1) begin : gen_bad_input
    $error("crosspoint_input: Input must be a direction, MaxPacket at least 1");
  end
  if (Depth / (Splits ? 2 : 1) < MaxPacket + CrosspointLate) begin : gen_bad_depth
    $error("crosspoint_input: a queue must hold MaxPacket and %0d flits", CrosspointLate);
  end

  // ---- Queue selection ----

  heading_t to;
  logic [NumDirs-1:0] possible, has_room, choice;
  level_t [NumDirs-1:0] room;  // free entries
  assign to = heading(x_i, y_i, 8'(in_i.x), 8'(in_i.y));
  assign possible = channels_of(Routing, Lossless, Input, to);
  always_comb begin
    for (int unsigned c = 0; c < NumDirs; c++) begin
      room[c] = Queues[c] ? level_t'(depth_of(c)) - level_i[c] : '0;
    end
  end

  if (Routing == RoutingXY) begin : gen_fixed
    assign choice = possible;
    wire unused_room = ^has_room;  // unused by mesh inputs
  end else begin : gen_choice
    // If both a horizontal and a vertical queue are possible, take the emptier one that has room.
    // O1TURN has this choice only where the message enters the mesh. Adaptive routing leaves the XY
    // path only for a shorter queue, counted in quarters of its depth: small differences are no
    // evidence of congestion further on, and diverting all traffic to the centre costs more than
    // they save. The second lane of a straight queue belongs to the axis of its own number.
    localparam int unsigned Coarse = Routing == RoutingAdaptive ? $clog2(Depth / 4) : 0;
    localparam logic [NumDirs-1:0] Horizontal = (NumDirs'(1) << DirEast) | (NumDirs'(1) << DirWest);
    wire [NumDirs-1:0] horizontal = possible & Horizontal;
    wire [NumDirs-1:0] vertical = possible & ~Horizontal;
    // Each pair is compared one cycle early: one flit more or less does not matter.
    logic [NumDirs-1:0][NumDirs-1:0] is_shorter_q;
    logic is_shorter;
    always_ff @(posedge clk_i) begin
      for (int unsigned h = 0; h < NumDirs; h++) begin
        for (int unsigned v = 0; v < NumDirs; v++) begin
          is_shorter_q[h][v] <= (level_i[h] >> Coarse) <= (level_i[v] >> Coarse);
        end
      end
    end
    always_comb begin
      is_shorter = 1'b0;
      for (int unsigned h = 0; h < NumDirs; h++) begin
        if (horizontal[h]) is_shorter |= |(vertical & is_shorter_q[h]);
      end
    end
    wire go_horizontal = |(horizontal & has_room) & (is_shorter | ~|(vertical & has_room));
    always_comb begin
      choice = possible;
      if (|horizontal && |vertical) choice = go_horizontal ? horizontal : vertical;
    end
  end

  logic [NumDirs-1:0] choice_q;
  logic first;
  wire [NumDirs-1:0] target = first ? choice : choice_q;

  logic [NumDirs-1:0] open;  // channels that a flit may enter now
  assign open_o = open;

  if (!Lossless) begin : gen_dropping
    localparam int unsigned FlitBytes = $bits(in_i.beat.data) / 8;
    localparam int unsigned LengthWidth = $bits(in_i.beat.length) + 1;
    logic [LengthWidth-1:0] bytes_up, flits;
    assign bytes_up = LengthWidth'(in_i.beat.length) + LengthWidth'(FlitBytes - 1);
    assign flits = bytes_up < LengthWidth'(FlitBytes) ? LengthWidth'(1) : bytes_up >> $clog2(
        FlitBytes
    );
    logic refused_q;
    always_comb begin
      for (int unsigned c = 0; c < NumDirs; c++) has_room[c] = 32'(room[c]) >= 32'(flits);
    end
    wire fits = |(choice & has_room);
    wire refused = first ? ~fits : refused_q;
    assign open = {NumDirs{~refused}};
    assign in_ready_o = '1;
    always_ff @(posedge clk_i) begin
      if (in_valid_i & first) refused_q <= ~fits;
    end
    assign drop_o = in_valid_i & first & refused;
  end else begin : gen_lossless
    assign drop_o = 1'b0;
    // State of the previous cycle; one flit may have arrived since.
    logic [NumDirs-1:0] has_room_q;
    always_ff @(posedge clk_i) begin
      for (int unsigned c = 0; c < NumDirs; c++) has_room_q[c] <= 32'(room[c]) > MaxPacket;
    end
    assign has_room = has_room_q;
    if (Input == int'(DirLocal)) begin : gen_local
      logic [NumDirs-1:0] has_entry_q;
      always_ff @(posedge clk_i) begin
        for (int unsigned c = 0; c < NumDirs; c++) has_entry_q[c] <= room[c] > level_t'(1);
      end
      assign open = first ? has_room : has_entry_q;
      wire ready = |(target & open);
      assign in_ready_o = NumDirs'(ready);
    end else begin : gen_mesh
      logic [NumDirs-1:0] ready_q;
      always_ff @(posedge clk_i) begin
        for (int unsigned c = 0; c < NumDirs; c++) begin
          ready_q[c] <= ~rst_i && room[c] >= level_t'(MaxPacket + CrosspointLate);
        end
      end
      assign in_ready_o = ready_q;
      assign open = '1;
    end
  end

  assign push_o = in_valid_i ? target & open : '0;

  wire taken = in_valid_i & (in_ready_o[0] | Input != int'(DirLocal));
  always_ff @(posedge clk_i) begin
    if (first) choice_q <= choice;
  end
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .last_i (in_i.beat.last),
      .first_o(first)
  );

  // ---- The further path, as seen from the next router ----

  for (genvar o = 0; o < NumDirs; o++) begin : gen_next_channels
    if (o == int'(DirLocal) || !Lossless) begin : gen_end
      assign next_channels_o[o] = '0;
    end else begin : gen_next
      heading_t next_to;
      assign next_to = heading(next_x(o, x_i), next_y(o, y_i), 8'(in_i.x), 8'(in_i.y));
      assign next_channels_o[o] = channels_of(Routing, 1'b1, int'(opposite(o)), next_to);
    end
  end

  `BOMBUS_ASSERT(PushesOneQueue, $onehot0(push_o))

endmodule
