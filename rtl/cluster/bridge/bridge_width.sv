// SPDX-License-Identifier: Apache-2.0
// Beats of packets at another width. One of the widths is a multiple of the other.
//
// Latency: 1 cycle; to a wider beat, 1 cycle after the last of its parts. Throughput: one beat of
// the narrower side per cycle.
module bridge_width
  import cluster_pkg::*;
#(
    parameter type in_t  = logic,  // CLUSTER_BEAT_T
    parameter type out_t = logic
) (
    input logic clk_i,
    input logic rst_i,

    input  in_t  in_i,
    input  logic in_valid_i,
    output logic in_ready_o,

    output out_t out_o,
    output logic out_valid_o,
    input  logic out_ready_i
);

  localparam int unsigned InWidth = $bits(in_i.data);
  localparam int unsigned OutWidth = $bits(out_o.data);

  if (InWidth % OutWidth != 0 && OutWidth % InWidth != 0) begin : gen_bad_width
    $error("bridge_width: one width must be a multiple of the other");
  end

  if (InWidth == OutWidth) begin : gen_same
    stream_register #(
        .data_t(in_t)
    ) u_register (
        .clk_i,
        .rst_i,
        .in_i,
        .in_valid_i,
        .in_ready_o,
        .out_o,
        .out_valid_o,
        .out_ready_i
    );
  end else if (InWidth > OutWidth) begin : gen_split
    localparam int unsigned Ratio = InWidth / OutWidth;
    localparam int unsigned OutWords = OutWidth / WordBits;
    typedef logic [$clog2(Ratio)-1:0] index_t;
    index_t index_q;
    length_t left_q;
    logic first_q;
    out_t part;
    logic part_ready;

    wire length_t left = first_q ? in_i.header.length : left_q;
    wire ends = left <= length_t'(OutWords);
    wire is_last_part = index_q == index_t'(Ratio - 1) | ends;
    always_comb begin
      part.header = in_i.header;
      part.last   = ends;
      part.data   = in_i.data[OutWidth-1:0];
      for (int unsigned n = 1; n < Ratio; n++) begin
        if (index_q == index_t'(n)) part.data = in_i.data[n*OutWidth+:OutWidth];
      end
    end
    stream_register #(
        .data_t(out_t)
    ) u_register (
        .clk_i,
        .rst_i,
        .in_i(part),
        .in_valid_i,
        .in_ready_o(part_ready),
        .out_o,
        .out_valid_o,
        .out_ready_i
    );
    assign in_ready_o = part_ready & is_last_part;
    always_ff @(posedge clk_i) begin
      if (in_valid_i & part_ready) begin
        index_q <= is_last_part ? '0 : index_q + 1'b1;
        left_q  <= left - length_t'(OutWords);
        first_q <= ends;
      end
      if (rst_i) begin
        index_q <= '0;
        first_q <= 1'b1;
      end
    end
  end else begin : gen_gather
    localparam int unsigned Ratio = OutWidth / InWidth;
    typedef logic [$clog2(Ratio)-1:0] index_t;
    index_t index_q;
    logic [Ratio-1:0][InWidth-1:0] data_q;
    header_t header_q;
    logic last_q;
    wire taken = in_valid_i & in_ready_o;
    assign in_ready_o = ~out_valid_o | out_ready_i;
    assign out_o = '{header: header_q, last: last_q, data: data_q};
    always_ff @(posedge clk_i) begin
      if (taken) begin
        for (int unsigned n = 0; n < Ratio; n++) begin
          if (index_q == index_t'(n)) data_q[n] <= in_i.data;
          else if (index_q == '0) data_q[n] <= '0;  // words beyond the end are zero
        end
        header_q <= in_i.header;
        last_q   <= in_i.last;
      end
    end
    always_ff @(posedge clk_i) begin
      if (taken) index_q <= in_i.last ? '0 : index_q + 1'b1;
      if (in_ready_o) out_valid_o <= taken & (in_i.last | index_q == index_t'(Ratio - 1));
      if (rst_i) begin
        index_q <= '0;
        out_valid_o <= 1'b0;
      end
    end
  end

endmodule
