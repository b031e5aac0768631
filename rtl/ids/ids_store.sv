// SPDX-License-Identifier: Apache-2.0
// The frames that rule_matcher looks at: a ring of beats, read as 32 bytes from any 16 on.
//
// It has as much room as the slots of the packet processor, so that nothing is overwritten before its
// verdict. What a read takes past the last byte of a frame is of other frames.
//
// Latency: 3 cycles. Throughput: one beat in and one read per cycle.
module ids_store #(
    parameter int unsigned DataWidth = 512,
    parameter int unsigned Beats = 512,
    localparam int unsigned BeatWidth = $clog2(Beats)
) (
    input logic clk_i,
    input logic rst_i,

    input logic packet_i,
    input logic [DataWidth-1:0] data_i,
    output logic [BeatWidth-1:0] beat_o,  // that data_i becomes

    input logic [BeatWidth+1:0] word_i,  // of 16 bytes
    output logic [255:0] data_o
);

  if (DataWidth != 512) begin : gen_bad_width
    $error("ids_store: DataWidth must be 512");
  end
  if (Beats < 4 || Beats != 2 ** BeatWidth) begin : gen_bad_beats
    $error("ids_store: Beats must be a power of two, at least 4");
  end

  logic [BeatWidth-1:0] write_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) write_q <= '0;
    else if (packet_i) write_q <= write_q + 1'b1;
  end
  assign beat_o = write_q;

  // Each quarter of a beat has a memory; those before the first one read the next beat.
  logic [3:0][127:0] quarter_q;
  wire [1:0] first = word_i[1:0];
  wire [BeatWidth-1:0] beat = word_i[BeatWidth+1:2];
  wire [BeatWidth-1:0] next_beat = beat + 1'b1;
  logic [1:0] first_q, second_q;
  logic [3:0][BeatWidth-1:0] beat_q;
  for (genvar b = 0; b < 4; b++) begin : gen_quarter
    (* ram_style = "block" *) logic [127:0] memory[Beats];
    always_ff @(posedge clk_i) begin
      if (packet_i) memory[write_q] <= data_i[128*b+:128];
      beat_q[b] <= 32'(first) > b ? next_beat : beat;
      quarter_q[b] <= memory[beat_q[b]];
    end
  end
  wire [1:0] other = second_q + 2'd1;
  always_ff @(posedge clk_i) begin
    first_q  <= first;
    second_q <= first_q;
    data_o   <= {quarter_q[other], quarter_q[second_q]};
  end

endmodule
