// SPDX-License-Identifier: Apache-2.0
// Answers a request of one beat with its bytes inverted, as `store` does, but takes it
// and sends the answer after random times of up to 31 cycles.
module erratic_store #(
    parameter type beat_t = logic
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,

    output logic busy_o
);

  localparam string Entry = "store";
  typedef enum logic {NextFrameLookupAnswer} next_e;

  logic [15:0] random_q;
  logic [ 4:0] time_q;
  logic        has_q;

  assign in_ready_o = ~has_q & ~out_valid_o & (time_q == '0);
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      random_q <= '1;
      time_q <= '0;
      has_q <= 1'b0;
      out_valid_o <= 1'b0;
    end else begin
      random_q <= {random_q[14:0], random_q[15] ^ random_q[14] ^ random_q[12] ^ random_q[3]};
      if (out_ready_i) out_valid_o <= 1'b0;
      if (time_q != '0) time_q <= time_q - 1'b1;
      else if (in_valid_i & in_ready_o) begin
        has_q  <= 1'b1;
        time_q <= random_q[4:0];
      end else if (has_q) begin
        has_q <= 1'b0;
        out_valid_o <= 1'b1;
        time_q <= random_q[9:5];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (in_valid_i & in_ready_o) begin
      out_o <= in_i;
      for (int unsigned i = 0; i < $bits(in_i.data) / 8; i++) begin
        if (i < 32'(in_i.bytes)) out_o.data[8*i+:8] <= ~in_i.data[8*i+:8];
      end
    end
  end

  assign busy_o = has_q | out_valid_o;

endmodule
