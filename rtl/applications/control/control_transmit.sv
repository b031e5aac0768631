// SPDX-License-Identifier: Apache-2.0
// Packs the words of a message into beats of an AXI-Stream. user_i is constant during a message.
//
// Latency: 1 cycle after the last word of a beat. Throughput: one word per cycle, but none while a
// full beat waits.
`include "bombus_assert.svh"

module control_transmit #(
    parameter  int unsigned DataWidth = 512,
    localparam int unsigned DataBytes = DataWidth / 8,
    localparam int unsigned NumLanes  = DataWidth / 32
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [31:0] word_i,
    input  logic        last_i,
    input  logic        valid_i,
    output logic        ready_o,

    output logic [DataWidth-1:0] tdata_o,
    output logic [DataBytes-1:0] tkeep_o,
    output logic                 tvalid_o,
    input  logic                 tready_i,
    output logic                 tlast_o
);

  if (DataWidth < 64 || DataWidth != 2 ** $clog2(DataWidth)) begin : gen_bad_width
    $error("control_transmit: DataWidth must be a power of two of at least 64");
  end

  logic [NumLanes-1:0] filled_q;
  wire [NumLanes-1:0] lane = {filled_q[NumLanes-2:0], 1'b1} & ~filled_q;  // the next one
  wire taken = valid_i & ready_o;
  assign ready_o = ~tvalid_o;
  always_comb begin
    for (int unsigned n = 0; n < NumLanes; n++) tkeep_o[4*n+:4] = {4{filled_q[n]}};
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned n = 0; n < NumLanes; n++) begin
      if (taken & lane[n]) tdata_o[32*n+:32] <= word_i;
      else if (taken & lane[0]) tdata_o[32*n+:32] <= '0;
    end
    if (taken) tlast_o <= last_i;
    if (rst_i) begin
      filled_q <= '0;
      tvalid_o <= 1'b0;
    end else if (tvalid_o & tready_i) begin
      filled_q <= '0;
      tvalid_o <= 1'b0;
    end else if (taken) begin
      filled_q <= filled_q | lane;
      tvalid_o <= last_i | lane[NumLanes-1];
    end
  end

  `BOMBUS_ASSERT(FillsInOrder, (filled_q & (filled_q + 1'b1)) == '0)
  `BOMBUS_ASSERT(FullBeatWaits, !(&filled_q) || tvalid_o)

endmodule
