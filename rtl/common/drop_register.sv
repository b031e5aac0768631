// SPDX-License-Identifier: Apache-2.0
// Output register of a layer that may drop: takes each message's verdict with
// its first beat, swallows dropped messages and counts each by its reason. The
// output is zero while there is none, so that several may be joined by OR.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module drop_register #(
    parameter type beat_t = logic,
    parameter int unsigned NumDrops = 1,
    parameter int unsigned NextWidth = 1  // bits of the next hop's number
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t                 in_i,
    input  logic                  in_valid_i,
    output logic                  in_ready_o,
    input  logic                  in_first_i,
    input  logic  [NextWidth-1:0] in_next_i,   // with in_first_i
    input  logic  [ NumDrops-1:0] in_drop_i,   // with in_first_i: reasons, at most one

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic  [NextWidth-1:0] out_next_o,
    output logic  [ NumDrops-1:0] drop_o
);

  if (NumDrops < 1 || NextWidth < 1) begin : gen_bad_shape
    $error("drop_register: NumDrops and NextWidth must be at least 1");
  end

  logic dropping_q;
  wire  drop = in_first_i ? |in_drop_i : dropping_q;

  assign in_ready_o = ~out_valid_o | out_ready_i;

  always_ff @(posedge clk_i) begin
    if (in_ready_o) out_o <= (in_valid_i & ~drop) ? in_i : '0;
    if (in_ready_o & in_valid_i & in_first_i) out_next_o <= in_next_i;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      out_valid_o <= 1'b0;
      dropping_q <= 1'b0;
      drop_o <= '0;
    end else begin
      drop_o <= '0;
      if (in_ready_o) begin
        out_valid_o <= in_valid_i & ~drop;
        if (in_valid_i) begin
          dropping_q <= drop;
          if (in_first_i) drop_o <= in_drop_i;
        end
      end
    end
  end

endmodule
