// SPDX-License-Identifier: Apache-2.0
// Decides when packets no longer wait for a link that is down: after hold_i x 1,024 cycles, at most
// 1,023 cycles earlier. The largest hold_i means that they wait until the link is up.
module cluster_outage #(
    parameter  int unsigned NumLinks = 4,
    localparam int unsigned HoldBits = 16
) (
    input logic clk_i,
    input logic rst_i,
    input logic [HoldBits-1:0] hold_i,  // 1,024 cycles
    input logic [NumLinks-1:0] up_i,
    output logic [NumLinks-1:0] gone_o
);

  if (NumLinks < 1) begin : gen_bad_links
    $error("cluster_outage: NumLinks must be at least 1");
  end

  localparam int unsigned TickBits = 10;
  logic [TickBits-1:0] tick_q;
  logic [NumLinks-1:0][HoldBits-1:0] age_q;
  logic [NumLinks-1:0] over_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned n = 0; n < NumLinks; n++) begin
      over_q[n] <= ~up_i[n] & age_q[n] >= hold_i & hold_i != '1;
    end
    if (rst_i) begin
      tick_q <= '0;
      age_q  <= '0;
    end else begin
      tick_q <= tick_q + 1'b1;
      for (int unsigned n = 0; n < NumLinks; n++) begin
        if (up_i[n]) age_q[n] <= '0;
        else if (&tick_q & ~&age_q[n]) age_q[n] <= age_q[n] + 1'b1;
      end
    end
  end
  assign gone_o = over_q & ~up_i;

endmodule
