// SPDX-License-Identifier: Apache-2.0
// A stand-in for a generated board of a cluster, for tests of the simulation of many boards.
//
// Each link sends beats at random times (register 0x804: in how many of 256 cycles) that depend on
// all beats received so far, so that a beat that comes in another cycle, or with another bit,
// changes all that follows. A frame that comes in leaves by link 0, beat by beat with a number and
// a mark; a board that gets such a beat on link 1 hands it on by link 0 until board 0 sends it to
// its MAC (register 0x800: number of the board).
module board_top (
    input  logic         clk_i,
    input  logic         rst_i,
    input  logic [ 15:0] tick_us_i,
    input  logic         reg_valid_i,
    input  logic         reg_write_i,
    input  logic [ 19:0] reg_addr_i,
    input  logic [ 31:0] reg_wdata_i,
    output logic         reg_ready_o,
    output logic [ 31:0] reg_rdata_o,
    input  logic [ 63:0] mac0_rx_tdata_i,
    input  logic [  7:0] mac0_rx_tkeep_i,
    input  logic         mac0_rx_tvalid_i,
    output logic         mac0_rx_tready_o,
    input  logic         mac0_rx_tlast_i,
    input  logic         mac0_rx_tuser_i,
    output logic [ 63:0] mac0_tx_tdata_o,
    output logic [  7:0] mac0_tx_tkeep_o,
    output logic         mac0_tx_tvalid_o,
    input  logic         mac0_tx_tready_i,
    output logic         mac0_tx_tlast_o,
    output logic [127:0] link0_tx_data_o,
    output logic         link0_tx_valid_o,
    input  logic         link0_tx_ready_i,
    input  logic [127:0] link0_rx_data_i,
    input  logic         link0_rx_valid_i,
    input  logic         link0_up_i,
    output logic [127:0] link1_tx_data_o,
    output logic         link1_tx_valid_o,
    input  logic         link1_tx_ready_i,
    input  logic [127:0] link1_rx_data_i,
    input  logic         link1_rx_valid_i,
    input  logic         link1_up_i,
    output logic [127:0] link2_tx_data_o,
    output logic         link2_tx_valid_o,
    input  logic         link2_tx_ready_i,
    input  logic [127:0] link2_rx_data_i,
    input  logic         link2_rx_valid_i,
    input  logic         link2_up_i,
    output logic [ 95:0] link3_tx_data_o,
    output logic         link3_tx_valid_o,
    input  logic         link3_tx_ready_i,
    input  logic [ 95:0] link3_rx_data_i,
    input  logic         link3_rx_valid_i,
    input  logic         link3_up_i,
    output logic         busy_o,
    output logic         in_flight_o
);

  localparam int unsigned NumLinks = 4;
  localparam logic [31:0] Mark = 32'hF4A3_0001;

  logic [31:0] board_q, pace_q;
  logic [127:0] rx_data[NumLinks];
  logic [NumLinks-1:0] rx_valid, tx_ready, tx_valid, up;
  logic [127:0] tx_data  [  NumLinks];
  logic [ 63:0] state_q  [  NumLinks];
  logic [ 47:0] counter_q[NumLinks+1];

  assign rx_data[0] = link0_rx_data_i;
  assign rx_data[1] = link1_rx_data_i;
  assign rx_data[2] = link2_rx_data_i;
  assign rx_data[3] = {32'd0, link3_rx_data_i};
  assign rx_valid = {link3_rx_valid_i, link2_rx_valid_i, link1_rx_valid_i, link0_rx_valid_i};
  assign tx_ready = {link3_tx_ready_i, link2_tx_ready_i, link1_tx_ready_i, link0_tx_ready_i};
  assign up = {link3_up_i, link2_up_i, link1_up_i, link0_up_i};
  assign {link3_tx_valid_o, link2_tx_valid_o, link1_tx_valid_o, link0_tx_valid_o} = tx_valid;
  assign link0_tx_data_o = tx_data[0];
  assign link1_tx_data_o = tx_data[1];
  assign link2_tx_data_o = tx_data[2];
  assign link3_tx_data_o = tx_data[3][95:0];

  // Frames: a queue of beats {keep, last, data} to link 0, another one to the MAC.
  logic [72:0] out_q[256], in_q[256];
  logic [7:0] out_write_q, out_read_q, in_write_q, in_read_q, in_whole_q;
  logic out_waits, takes_frame, to_mac, hands_on;
  assign out_waits = out_write_q != out_read_q;
  assign takes_frame = rx_valid[1] && rx_data[1][127:96] == Mark;
  assign to_mac = takes_frame && board_q == 0;
  assign hands_on = takes_frame && board_q != 0;
  assign mac0_rx_tready_o = 1'b1;
  assign {mac0_tx_tkeep_o, mac0_tx_tlast_o, mac0_tx_tdata_o} = in_q[in_read_q];
  assign mac0_tx_tvalid_o = in_read_q != in_whole_q;
  assign in_flight_o = out_waits || in_read_q != in_write_q;
  assign busy_o = in_flight_o;

  function automatic logic [63:0] next(input logic [63:0] state);
    logic [63:0] value;
    value = state;
    value ^= value << 13;
    value ^= value >> 7;
    value ^= value << 17;
    return value;
  endfunction

  always_ff @(posedge clk_i) begin
    if (mac0_rx_tvalid_i) begin
      out_q[out_write_q] <= {mac0_rx_tkeep_i, mac0_rx_tlast_i, mac0_rx_tdata_i};
      out_write_q <= out_write_q + 1'b1;
      counter_q[0] <= counter_q[0] + 48'(mac0_rx_tlast_i);
    end else if (hands_on) begin
      out_q[out_write_q] <= rx_data[1][72:0];
      out_write_q <= out_write_q + 1'b1;
    end
    if (to_mac) begin
      in_q[in_write_q] <= rx_data[1][72:0];
      in_write_q <= in_write_q + 1'b1;
      if (rx_data[1][64]) in_whole_q <= in_write_q + 1'b1;
    end
    if (mac0_tx_tvalid_o && mac0_tx_tready_i) in_read_q <= in_read_q + 1'b1;

    for (int link = 0; link < int'(NumLinks); ++link) begin
      state_q[link] <= next(state_q[link]);
      if (rx_valid[link]) begin
        state_q[link] <= next(state_q[link] ^ rx_data[link][63:0] ^ {rx_data[link][126:64], 1'b1});
        counter_q[link+1] <= counter_q[link+1] + 1'b1;
      end
      if (!tx_valid[link] || tx_ready[link]) begin
        tx_valid[link] <= up[link] && 32'(state_q[link][7:0]) < pace_q;
        tx_data[link]  <= {32'd0, board_q, state_q[link] ^ state_q[(link+1)%int'(NumLinks)]};
        if (link == 0 && out_waits && up[0]) begin
          tx_valid[0] <= 1'b1;
          tx_data[0]  <= {Mark, 23'd0, out_q[out_read_q]};
          out_read_q  <= out_read_q + 1'b1;
        end
      end
    end

    reg_ready_o <= reg_valid_i && !reg_ready_o;
    reg_rdata_o <= '0;
    if (reg_addr_i == 20'h800) reg_rdata_o <= board_q;
    if (reg_addr_i == 20'h804) reg_rdata_o <= pace_q;
    for (int i = 0; i <= int'(NumLinks); ++i) begin
      if (reg_addr_i == 20'(8 * i)) reg_rdata_o <= counter_q[i][31:0];
      if (reg_addr_i == 20'(8 * i + 4)) reg_rdata_o <= {16'd0, counter_q[i][47:32]};
    end
    if (reg_valid_i && reg_write_i && !reg_ready_o) begin
      if (reg_addr_i == 20'h800) board_q <= reg_wdata_i;
      if (reg_addr_i == 20'h804) pace_q <= reg_wdata_i;
    end

    if (rst_i) begin
      reg_ready_o <= 1'b0;
      tx_valid <= '0;
      board_q <= '0;
      pace_q <= '0;
      {out_write_q, out_read_q, in_write_q, in_read_q, in_whole_q} <= '0;
      for (int i = 0; i <= int'(NumLinks); ++i) counter_q[i] <= '0;
      for (int i = 0; i < int'(NumLinks); ++i) state_q[i] <= 64'h9E3779B97F4A7C15 << i;
    end
  end

endmodule
