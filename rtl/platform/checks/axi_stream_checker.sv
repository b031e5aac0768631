// SPDX-License-Identifier: Apache-2.0
// Simulation only: checks the frames between a MAC and the design (AXI-Stream).
//
// - tvalid and the beat are stable until the beat is taken;
// - tkeep has no hole and is not empty; every beat but the last is full;
// - to a MAC (MayPause = 0), tvalid does not fall inside a frame, unless tuser ends it as bad;
// - from a MAC (NeverWaits = 1), tready is 1.
module axi_stream_checker #(
    parameter int unsigned DataWidth = 512,
    parameter bit MayPause = 0,
    parameter bit NeverWaits = 0,
    localparam int unsigned DataBytes = DataWidth / 8
) (
    input logic  clk_i,
    input logic  rst_i,
    input string name_i, // of the port, followed by ": "

    input logic [DataWidth-1:0] tdata_i,
    input logic [DataBytes-1:0] tkeep_i,
    input logic tvalid_i,
    input logic tready_i,
    input logic tlast_i,
    input logic tuser_i
);

  if (DataWidth < 8 || DataWidth % 8 != 0) begin : gen_bad_width
    $error("axi_stream_checker: DataWidth must be whole bytes");
  end

  typedef struct packed {
    logic last;
    logic user;
    logic [DataBytes-1:0] keep;
    logic [DataWidth-1:0] data;
  } beat_t;
  wire beat_t beat = '{last: tlast_i, user: tlast_i & tuser_i, keep: tkeep_i, data: tdata_i};

  logic waits_q, inside_q, paused_q;
  beat_t beat_q;
  wire   paused = inside_q & (paused_q | ~tvalid_i);

  always_ff @(posedge clk_i) begin
    if (tvalid_i & ~tready_i) beat_q <= beat;
    if (rst_i) begin
      waits_q  <= 1'b0;
      inside_q <= 1'b0;
      paused_q <= 1'b0;
    end else begin
      waits_q  <= tvalid_i & ~tready_i;
      paused_q <= paused;
      if (waits_q) begin
        assert (tvalid_i)
        else $error("%stvalid fell before the beat was taken", name_i);
        assert (!tvalid_i || beat == beat_q)
        else $error("%sa beat changed while it waited", name_i);
      end
      if (tvalid_i) begin
        assert (tready_i || !NeverWaits)
        else $error("%stready fell, but a MAC cannot wait", name_i);
      end
      if (tvalid_i & tready_i) begin
        inside_q <= ~tlast_i;
        assert (tkeep_i[0] && (tkeep_i & (tkeep_i + 1'b1)) == '0)
        else $error("%stkeep has a hole or is empty", name_i);
        assert (tlast_i || (&tkeep_i))
        else $error("%sa beat inside a frame is not full", name_i);
        assert (MayPause || !tlast_i || tuser_i || !paused)
        else $error("%stvalid fell inside a frame", name_i);
      end
    end
  end

endmodule
