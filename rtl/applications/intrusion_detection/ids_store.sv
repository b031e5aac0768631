// SPDX-License-Identifier: Apache-2.0
// Copy of the frames that rule_matcher examines, by slot, read 32 bytes at a time at multiples of
// 16.
//
// A frame is kept until another one arrives in its slot. In cycles without a beat, up to 16 bytes
// can be replaced. Bytes read beyond the last byte of a frame belong to other frames.
//
// Latency: 3 cycles; written data can be read in the cycle after the next. Throughput: one beat in
// and one read per cycle.
module ids_store #(
    parameter int unsigned DataWidth = 512,
    parameter int unsigned Beats = 512,
    localparam int unsigned BeatWidth = $clog2(Beats)
) (
    input logic clk_i,
    input logic rst_i,

    input logic packet_i,
    input logic first_i,
    input logic [BeatWidth-1:0] beat_i,  // first beat of the frame
    input logic [DataWidth-1:0] data_i,

    input logic replace_i,
    output logic replace_ready_o,
    input logic [BeatWidth+1:0] replace_word_i,
    input logic [15:0] replace_bytes_i,
    input logic [127:0] replace_data_i,

    input logic [BeatWidth+1:0] word_i,  // address in units of 16 bytes
    output logic [255:0] data_o
);

  if (DataWidth != 512) begin : gen_bad_width
    $error("ids_store: DataWidth must be 512");
  end
  if (Beats < 4 || Beats != 2 ** BeatWidth) begin : gen_bad_beats
    $error("ids_store: Beats must be a power of two, at least 4");
  end

  logic [BeatWidth-1:0] next_q;
  always_ff @(posedge clk_i) if (packet_i) next_q <= (first_i ? beat_i : next_q) + 1'b1;
  assign replace_ready_o = ~packet_i;

  logic [  BeatWidth-1:0] write_q;
  logic [  DataWidth-1:0] data_q;
  logic [DataWidth/8-1:0] bytes_q;
  always_ff @(posedge clk_i) begin
    write_q <= ~packet_i ? replace_word_i[BeatWidth+1:2] : first_i ? beat_i : next_q;
    for (int unsigned b = 0; b < 4; b++) begin
      data_q[128*b+:128] <= packet_i ? data_i[128*b+:128] : replace_data_i;
      bytes_q[16*b+:16] <= {16{packet_i}} |
          (replace_i & 32'(replace_word_i[1:0]) == b ? replace_bytes_i : 16'd0);
    end
    if (rst_i) bytes_q <= '0;
  end

  // Each quarter of a beat has its own memory; quarters before the first one read the next beat.
  logic [3:0][127:0] quarter_q;
  wire [1:0] first = word_i[1:0];
  wire [BeatWidth-1:0] beat = word_i[BeatWidth+1:2];
  wire [BeatWidth-1:0] next_beat = beat + 1'b1;
  logic [1:0] first_q, second_q;
  logic [3:0][BeatWidth-1:0] beat_q;
  for (genvar b = 0; b < 4; b++) begin : gen_quarter
    (* ram_style = "block" *) logic [127:0] memory[Beats];
    always_ff @(posedge clk_i) begin
      for (int n = 0; n < 16; n++)
      if (bytes_q[16*b+n]) memory[write_q][8*n+:8] <= data_q[128*b+8*n+:8];
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
