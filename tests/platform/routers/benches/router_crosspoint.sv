// SPDX-License-Identifier: Apache-2.0
// The crosspoint router at (1, 1). Streams in by dir_e: a link's sender that keeps
// to what the router tells it (docs/fabrics.md). Streams out: what comes by each
// output, then those whose ready is the room in channel c behind output o
// (5 + 5 * o + c) and that never carry anything; outputs 1 to 4 cannot be stalled.
// An item: flit (beat, port, y, x, dir), the channels that the message may take at
// this router, at the next one north or south, and at the next one east or west. Events: a message starts without room, a flit
// past MaxPacket goes without room; the two ways to tell of ready differ; 8 + i: a message is dropped at input i.
`include "bombus_types.svh"
`include "bench.svh"

module bench
  import noc_pkg::*;
#(
    parameter int unsigned Routing = 0,
    parameter int unsigned Lossless = 1,
    parameter int unsigned Ports = 31,
    parameter int unsigned Depth = 32,
    parameter int unsigned MaxPacket = 4,
    localparam int unsigned DataWidth = 64,
    localparam int unsigned FlitBits = bench_pkg::beat_bits(DataWidth) + 3 + 2 + 2 + 2,
    localparam int unsigned ItemBits = FlitBits + 3 * NumDirs,
    localparam int unsigned NumOut = NumDirs + NumDirs * NumDirs
) (
    `BENCH_PORTS(NumDirs, ItemBits, NumOut, ItemBits, 1, 1)
);

  `BENCH_SHAPE
  `BOMBUS_BEAT_T(beat_t, DataWidth)
  typedef struct packed {
    logic [1:0][NumDirs-1:0] wanted_next;
    logic [NumDirs-1:0] wanted;
    noc_pkg::dir_e dir;
    logic [1:0] x;
    logic [1:0] y;
    logic [1:0] port;
    beat_t beat;
  } flit_t;

  flit_t [NumDirs-1:0] to, from;
  logic [NumDirs-1:0][NumDirs-1:0] to_valid, to_ready, from_valid, room, room_q;
  logic [NumDirs-1:0] drop, bad_start, bad_rest, local_ready;

  // Counts the flits of the message so far, for senders and outputs alike.
  function automatic int unsigned count_after(int unsigned count, logic last);
    return last ? 0 : count + 1;
  endfunction

  for (genvar d = 0; d < NumDirs; d++) begin : gen_port
    flit_t in;
    assign in = flit_t'(in_i[d]);
    if (d == int'(DirLocal)) begin : gen_local
      assign to[d] = in;
      assign to_valid[d] = NumDirs'(in_valid_i[d]);
      assign in_ready_o[d] = to_ready[d][0];
    end else begin : gen_mesh
      flit_t link_q;
      logic valid_q;
      int unsigned sent_q;
      assign in_ready_o[d] = (sent_q == 0 || sent_q >= MaxPacket) ?
          (sent_q == 0 ? |(in.wanted & to_ready[d]) : ~|(in.wanted & ~to_ready[d])) : 1'b1;
      always_ff @(posedge clk_i) begin
        link_q <= in;
        if (rst_i) begin
          valid_q <= 1'b0;
          sent_q  <= 0;
        end else begin
          valid_q <= in_valid_i[d] & in_ready_o[d];
          if (in_valid_i[d] & in_ready_o[d]) sent_q <= count_after(sent_q, in.beat.last);
        end
      end
      assign to[d] = link_q;
      assign to_valid[d] = NumDirs'(valid_q);
    end

    assign out_o[d] = from[d];
    assign out_valid_o[d] = from_valid[d][0];
    assign out_valid_o[NumDirs+NumDirs*d+:NumDirs] = '0;
    for (genvar c = 0; c < NumDirs; c++) begin : gen_room
      assign out_o[NumDirs+NumDirs*d+c] = '0;
    end
    assign room[d] = d == int'(DirLocal) ? NumDirs'(out_ready_i[d]) :
        out_ready_i[NumDirs+NumDirs*d+:NumDirs];

    int unsigned come_q;
    always_ff @(posedge clk_i) begin
      room_q[d] <= room[d];
      if (rst_i) come_q <= 0;
      else if (from_valid[d][0]) come_q <= count_after(come_q, from[d].beat.last);
    end
    logic [NumDirs-1:0] wanted_next;
    assign wanted_next = from[d].wanted_next[is_horizontal(d)];
    // A flit on the link was released in the previous cycle.
    wire judged = d != int'(DirLocal) && Lossless != 0 && from_valid[d][0];
    assign bad_start[d] = judged && come_q == 0 && (wanted_next & room_q[d]) == '0;
    assign bad_rest[d]  = judged && come_q >= MaxPacket && (wanted_next & ~room_q[d]) != '0;
  end

  router_crosspoint #(
      .flit_t(flit_t),
      .Ports(NumDirs'(Ports)),
      .Routing(routing_e'(Routing)),
      .Lossless(Lossless != 0),
      .Depth(Depth),
      .MaxPacket(MaxPacket)
  ) u_router (
      .clk_i,
      .rst_i,
      .x_i(8'(1)),
      .y_i(8'(1)),
      .in_i(to[NumDirs-1:1]),
      .in_valid_i(to_valid[NumDirs-1:1]),
      .in_ready_o(to_ready[NumDirs-1:1]),
      .out_o(from[NumDirs-1:1]),
      .out_valid_o(from_valid[NumDirs-1:1]),
      .out_ready_i(room[NumDirs-1:1]),
      .inj_i(to[DirLocal]),
      .inj_valid_i(to_valid[DirLocal][0]),
      .inj_taken_o(to_ready[DirLocal][0]),
      .inj_ready_o(local_ready),
      .ej_o(from[DirLocal]),
      .ej_valid_o(from_valid[DirLocal][0]),
      .ej_ready_i(room[DirLocal][0]),
      .drop_o(drop),
      .busy_o(status_o)
  );

  wire dir_e local_dir = first_dir(heading(8'd1, 8'd1, 8'(to[DirLocal].x), 8'(to[DirLocal].y)));
  wire differs = in_valid_i[DirLocal] & (in_ready_o[DirLocal] != local_ready[local_dir]);
  assign event_o = 64'({drop, 8'({differs, |bad_rest, |bad_start})});

endmodule
