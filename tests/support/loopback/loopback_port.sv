// SPDX-License-Identifier: Apache-2.0
// One port of the loopback: keeps frames until they are whole, drops bad ones.
//
// fault_i: 0 none, 1 tvalid falls before the handshake, 2 tdata changes while it
// waits, 3 hole in tkeep, 4 bubble inside a frame, 5 rx_tready low now and then,
// 6 the first beat of a frame comes 600 times: n bytes become n + 9584.
module loopback_port #(
    parameter int unsigned Depth = 2048
) (
    input  logic         clk_i,
    input  logic         rst_i,
    input  logic [  2:0] fault_i,
    input  logic         fire_i,
    input  logic [127:0] rx_tdata_i,
    input  logic [ 15:0] rx_tkeep_i,
    input  logic         rx_tvalid_i,
    output logic         rx_tready_o,
    input  logic         rx_tlast_i,
    input  logic         rx_tuser_i,
    output logic [127:0] tx_tdata_o,
    output logic [ 15:0] tx_tkeep_o,
    output logic         tx_tvalid_o,
    input  logic         tx_tready_i,
    output logic         tx_tlast_o,
    output logic         in_flight_o,
    output logic         frame_in_o,
    output logic         frame_out_o
);

  localparam int unsigned PointerBits = $clog2(Depth);

  logic [144:0] memory[Depth];
  logic [PointerBits-1:0] start_q, write_q, read_q;
  logic [3:0] phase_q;
  logic firing_q, gap_q, inside_q;
  logic [9:0] repeats_q;

  logic whole, hold, again;
  assign whole = read_q != start_q;
  assign hold = (fault_i == 3'd1 && phase_q[0]) || (fault_i == 3'd4 && inside_q && gap_q);
  assign again = fault_i == 3'd6 && !inside_q && repeats_q != 10'd599;

  assign rx_tready_o = !(fault_i == 3'd5 && phase_q == 4'd3) && !firing_q;
  assign tx_tvalid_o = whole && !hold;
  always_comb begin
    {tx_tlast_o, tx_tkeep_o, tx_tdata_o} = memory[read_q];
    if (fault_i == 3'd2) tx_tdata_o[7:4] = phase_q;
    if (fault_i == 3'd3) tx_tkeep_o[1] = 1'b0;
    if (again) tx_tlast_o = 1'b0;
  end
  assign in_flight_o = whole || write_q != start_q || firing_q;
  assign frame_out_o = tx_tvalid_o && tx_tready_i && tx_tlast_o;
  assign frame_in_o  = rx_tvalid_i && rx_tready_o && rx_tlast_i;

  always_ff @(posedge clk_i) begin
    phase_q  <= phase_q + 4'd1;
    firing_q <= fire_i;
    if (firing_q) begin
      memory[write_q] <= {1'b1, 16'hFFFF, 128'h0F0E0D0C0B0A09080706050403020100};
      write_q <= write_q + 1;
      start_q <= write_q + 1;
    end else if (rx_tvalid_i && rx_tready_o) begin
      memory[write_q] <= {rx_tlast_i, rx_tkeep_i, rx_tdata_i};
      write_q <= rx_tlast_i && rx_tuser_i ? start_q : write_q + 1;
      if (rx_tlast_i && !rx_tuser_i) start_q <= write_q + 1;
    end

    gap_q <= 1'b0;
    if (tx_tvalid_o && tx_tready_i) begin
      repeats_q <= again ? repeats_q + 1 : '0;
      if (!again) begin
        read_q   <= read_q + 1;
        inside_q <= !tx_tlast_o;
      end
      gap_q <= 1'b1;
    end

    if (rst_i) begin
      start_q <= '0;
      write_q <= '0;
      read_q <= '0;
      phase_q <= '0;
      repeats_q <= '0;
      firing_q <= 1'b0;
      gap_q <= 1'b0;
      inside_q <= 1'b0;
    end
  end

endmodule
