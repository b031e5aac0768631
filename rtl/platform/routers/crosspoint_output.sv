// SPDX-License-Identifier: Apache-2.0
// Output of the crosspoint router: selects the next message among the lanes of its queues, and pops
// its flits.
//
// A message starts only when the next router has room for MaxPacket flits in one of the queues that
// it may enter there (virtual cut-through). Flits beyond MaxPacket are sent only while all of these
// queues have such room, so a longer message stalls and does not overflow. Among the messages that
// may start, the least recently served lane is granted: no lane starves, although the set of lanes
// that may start changes.
//
// Latency: 1 cycle from pop_o to the flit on the link. Throughput: one flit per cycle, without an
// idle cycle between messages.
`include "bombus_assert.svh"

module crosspoint_output
  import noc_pkg::*;
#(
    parameter type head_t = logic,
    parameter int unsigned NumLanes = 4,  // lanes that may request this output
    parameter bit IsLocal = 0,  // the tile accepts flits by valid and ready
    parameter bit Lossless = 1,
    parameter int unsigned MaxPacket = 24
) (
    input logic clk_i,
    input logic rst_i,

    input head_t [NumLanes-1:0] head_i,
    input logic [NumLanes-1:0] head_valid_i,
    output logic [NumLanes-1:0] pop_o,  // one-hot or zero
    output logic step_o,  // the link can take a flit in the next cycle; otherwise no flit is popped

    output logic out_valid_o,
    input logic [NumDirs-1:0] out_ready_i  // by channel of the next router; local output: channel 0
);

  if (NumLanes < 1 || MaxPacket < 1) begin : gen_bad_shape
    $error("crosspoint_output: NumLanes and MaxPacket must be at least 1");
  end

  localparam int unsigned CountWidth = $clog2(MaxPacket + 1);

  logic valid_q, locked_q, long_q;
  logic [CountWidth-1:0] count_q;  // flits of the message already sent
  logic [  NumLanes-1:0] owner_q;
  logic [NumLanes-1:0] may_start, may_continue, grant;

  assign step_o = IsLocal ? ~valid_q | out_ready_i[0] : 1'b1;

  for (genvar l = 0; l < NumLanes; l++) begin : gen_able
    wire [NumDirs-1:0] next_channels = head_i[l].next_channels;
    if (IsLocal || !Lossless) begin : gen_always
      assign may_start[l] = head_valid_i[l];
      assign may_continue[l] = head_valid_i[l] & owner_q[l];
      wire unused_next_channels = ^next_channels;
    end else begin : gen_room
      wire has_all = ~long_q | ~|(next_channels & ~out_ready_i);
      assign may_start[l] = head_valid_i[l] & |(next_channels & out_ready_i);
      assign may_continue[l] = head_valid_i[l] & owner_q[l] & has_all;
    end
  end

  least_recent #(
      .NumInputs(NumLanes)
  ) u_arbiter (
      .clk_i,
      .rst_i,
      .request_i(may_start),
      .grant_o  (grant),
      .served_i (step_o & ~locked_q)
  );

  assign pop_o = step_o ? (locked_q ? may_continue : grant) : '0;

  logic last;
  always_comb begin
    last = 1'b0;
    for (int unsigned l = 0; l < NumLanes; l++) last |= pop_o[l] & head_i[l].last;
  end

  always_ff @(posedge clk_i) begin
    if (|pop_o) owner_q <= pop_o;
    if (rst_i) begin
      valid_q  <= 1'b0;
      locked_q <= 1'b0;
      long_q   <= 1'b0;
      count_q  <= '0;
    end else begin
      if (step_o) valid_q <= |pop_o;
      if (|pop_o) begin
        locked_q <= ~last;
        count_q  <= last ? '0 : count_q + CountWidth'(!long_q);
        long_q   <= ~last & (long_q | (count_q == CountWidth'(MaxPacket - 1)));
      end
    end
  end

  assign out_valid_o = valid_q;

  if (IsLocal) begin : gen_local
    wire unused_ready = ^out_ready_i[NumDirs-1:1];
  end else if (!Lossless) begin : gen_unused
    wire unused_ready = ^{out_ready_i, long_q};
  end

  `BOMBUS_ASSERT(PopsOneLane, $onehot0(pop_o))
  `BOMBUS_ASSERT(PopsValid, (pop_o & ~head_valid_i) == '0)

endmodule
