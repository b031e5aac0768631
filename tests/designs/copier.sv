// SPDX-License-Identifier: Apache-2.0
// Sends datagrams of 16 bytes back, and a copy to a tray. Each output takes them at its own pace,
// unless the first byte says otherwise: then neither gets its second beat before the other has
// taken the first.
module copier #(
    parameter type beat_t = logic,
    parameter int unsigned UdpPort = 2001
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,
    output beat_t copy_o,
    output logic  copy_valid_o,
    input  logic  copy_ready_i,

    output logic busy_o
);

  localparam string Entry = "copier";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  typedef enum logic {NextUdpTx} next_e;
  typedef enum logic {CopyNextTray} copy_next_e;
  localparam string OneForEach = "in";
  localparam string CopyOneForEach = "in";
  localparam int unsigned MaxBusyCycles = 50;

  beat_t [1:0] beat_q;
  logic full_q, second_q;
  logic in_step_q;
  logic [1:0] out_count_q, copy_count_q;  // beats that have gone

  assign in_ready_o = ~full_q;
  assign busy_o = full_q | second_q;
  assign out_valid_o = full_q && out_count_q < 2 && (~in_step_q || out_count_q <= copy_count_q);
  assign copy_valid_o = full_q && copy_count_q < 2 && (~in_step_q || copy_count_q <= out_count_q);
  assign out_o = beat_q[out_count_q[0]];
  assign copy_o = beat_q[copy_count_q[0]];

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      full_q <= 1'b0;
      second_q <= 1'b0;
      out_count_q <= '0;
      copy_count_q <= '0;
    end else if (~full_q) begin
      out_count_q  <= '0;
      copy_count_q <= '0;
      if (in_valid_i) begin
        second_q <= ~second_q;
        full_q   <= second_q;
      end
    end else begin
      out_count_q <= out_count_q + 2'(out_valid_o & out_ready_i);
      copy_count_q <= copy_count_q + 2'(copy_valid_o & copy_ready_i);
      full_q <= ~(out_count_q[1] & copy_count_q[1]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (in_valid_i & in_ready_o) begin
      beat_q[second_q] <= in_i;
      if (~second_q) begin
        in_step_q <= in_i.data[0];
        beat_q[0].meta.l4.ports.src_port <= in_i.meta.l4.ports.dst_port;
        beat_q[0].meta.l4.ports.dst_port <= in_i.meta.l4.ports.src_port;
      end
    end
  end

endmodule
