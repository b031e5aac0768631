// SPDX-License-Identifier: Apache-2.0
// A stand-in for a generated top, for tests of the simulator itself: each MAC
// port sends back what comes in, whole frames, and can be told to break the
// rules of AXI-Stream.
//
// Registers of tile 0: counters 0 (frames in), 1 (frames out) and 2 (never
// reset); 0x800: fault of port 0; 0x804: sends a frame so many microseconds later;
// 0xFF8: never answered.
module loopback_top (
    input  logic         clk_i,
    input  logic         rst_i,
    input  logic [ 15:0] tick_us_i,
    input  logic         reg_valid_i,
    input  logic         reg_write_i,
    input  logic [ 19:0] reg_addr_i,
    input  logic [ 31:0] reg_wdata_i,
    output logic         reg_ready_o,
    output logic [ 31:0] reg_rdata_o,
    input  logic [127:0] mac0_rx_tdata_i,
    input  logic [ 15:0] mac0_rx_tkeep_i,
    input  logic         mac0_rx_tvalid_i,
    output logic         mac0_rx_tready_o,
    input  logic         mac0_rx_tlast_i,
    input  logic         mac0_rx_tuser_i,
    output logic [127:0] mac0_tx_tdata_o,
    output logic [ 15:0] mac0_tx_tkeep_o,
    output logic         mac0_tx_tvalid_o,
    input  logic         mac0_tx_tready_i,
    output logic         mac0_tx_tlast_o,
    input  logic [127:0] mac1_rx_tdata_i,
    input  logic [ 15:0] mac1_rx_tkeep_i,
    input  logic         mac1_rx_tvalid_i,
    output logic         mac1_rx_tready_o,
    input  logic         mac1_rx_tlast_i,
    input  logic         mac1_rx_tuser_i,
    output logic [127:0] mac1_tx_tdata_o,
    output logic [ 15:0] mac1_tx_tkeep_o,
    output logic         mac1_tx_tvalid_o,
    input  logic         mac1_tx_tready_i,
    output logic         mac1_tx_tlast_o,
    // Raised ports: the lamp shows the key, with the key of the previous cycle above it.
    input  logic [ 11:0] key_i,
    output logic [ 99:0] lamp_o,
    // A raised stream: input is looped back to the output. key_i: 'hBA1 tvalid falls before the
    // handshake, 'hBA2 tdata changes while it waits, 'hBA3 hole in tkeep.
    input  logic [ 31:0] echo_in_tdata_i,
    input  logic [  3:0] echo_in_tkeep_i,
    input  logic         echo_in_tvalid_i,
    output logic         echo_in_tready_o,
    input  logic         echo_in_tlast_i,
    input  logic [ 11:0] echo_in_tuser_i,
    output logic [ 31:0] echo_out_tdata_o,
    output logic [  3:0] echo_out_tkeep_o,
    output logic         echo_out_tvalid_o,
    input  logic         echo_out_tready_i,
    output logic         echo_out_tlast_o,
    output logic [ 11:0] echo_out_tuser_o,
    output logic         busy_o,
    output logic         in_flight_o
);

  always_ff @(posedge clk_i) lamp_o <= {lamp_o[11:0], 76'd0, key_i};

  logic echo_valid_q, phase_q;
  logic [31:0] echo_data_q;
  logic [ 3:0] echo_keep_q;
  assign echo_in_tready_o  = !echo_valid_q || (echo_out_tvalid_o && echo_out_tready_i);
  assign echo_out_tvalid_o = echo_valid_q && !(key_i == 12'hBA1 && phase_q);
  assign echo_out_tdata_o  = key_i == 12'hBA2 && phase_q ? ~echo_data_q : echo_data_q;
  assign echo_out_tkeep_o  = key_i == 12'hBA3 ? echo_keep_q & 4'hD : echo_keep_q;
  always_ff @(posedge clk_i) begin
    phase_q <= !phase_q;
    if (echo_in_tready_o) begin
      echo_valid_q <= echo_in_tvalid_i;
      echo_data_q <= echo_in_tdata_i;
      echo_keep_q <= echo_in_tkeep_i;
      echo_out_tlast_o <= echo_in_tlast_i;
      echo_out_tuser_o <= echo_in_tuser_i;
    end
    if (rst_i) begin
      echo_valid_q <= 1'b0;
      phase_q <= 1'b0;
    end
  end

  logic [ 2:0] fault_q;
  logic [31:0] timer_q;
  logic [47:0] in_q, out_q;
  logic [31:0] never_reset_q;
  logic fire;
  logic [1:0] flying, frame_in, frame_out;

  loopback_port port0 (
      .clk_i,
      .rst_i,
      .fault_i(fault_q),
      .fire_i(fire),
      .rx_tdata_i(mac0_rx_tdata_i),
      .rx_tkeep_i(mac0_rx_tkeep_i),
      .rx_tvalid_i(mac0_rx_tvalid_i),
      .rx_tready_o(mac0_rx_tready_o),
      .rx_tlast_i(mac0_rx_tlast_i),
      .rx_tuser_i(mac0_rx_tuser_i),
      .tx_tdata_o(mac0_tx_tdata_o),
      .tx_tkeep_o(mac0_tx_tkeep_o),
      .tx_tvalid_o(mac0_tx_tvalid_o),
      .tx_tready_i(mac0_tx_tready_i),
      .tx_tlast_o(mac0_tx_tlast_o),
      .in_flight_o(flying[0]),
      .frame_in_o(frame_in[0]),
      .frame_out_o(frame_out[0])
  );
  loopback_port port1 (
      .clk_i,
      .rst_i,
      .fault_i('0),
      .fire_i(1'b0),
      .rx_tdata_i(mac1_rx_tdata_i),
      .rx_tkeep_i(mac1_rx_tkeep_i),
      .rx_tvalid_i(mac1_rx_tvalid_i),
      .rx_tready_o(mac1_rx_tready_o),
      .rx_tlast_i(mac1_rx_tlast_i),
      .rx_tuser_i(mac1_rx_tuser_i),
      .tx_tdata_o(mac1_tx_tdata_o),
      .tx_tkeep_o(mac1_tx_tkeep_o),
      .tx_tvalid_o(mac1_tx_tvalid_o),
      .tx_tready_i(mac1_tx_tready_i),
      .tx_tlast_o(mac1_tx_tlast_o),
      .in_flight_o(flying[1]),
      .frame_in_o(frame_in[1]),
      .frame_out_o(frame_out[1])
  );

  assign in_flight_o = |flying || echo_valid_q;
  assign busy_o = in_flight_o || timer_q != 0;
  assign fire = timer_q != 0 && timer_q <= 32'(tick_us_i);

  always_ff @(posedge clk_i) begin
    reg_ready_o <= reg_valid_i && !reg_ready_o && reg_addr_i != 20'hFF8;
    unique case (reg_addr_i)
      20'h00:  reg_rdata_o <= in_q[31:0];
      20'h04:  reg_rdata_o <= {16'd0, in_q[47:32]};
      20'h08:  reg_rdata_o <= out_q[31:0];
      20'h0C:  reg_rdata_o <= {16'd0, out_q[47:32]};
      20'h10:  reg_rdata_o <= never_reset_q;
      20'h14:  reg_rdata_o <= '0;
      default: reg_rdata_o <= 32'hDEADBEEF;
    endcase

    if (timer_q != 0) timer_q <= fire ? '0 : timer_q - 32'(tick_us_i);
    in_q  <= in_q + 48'($countones(frame_in));
    out_q <= out_q + 48'($countones(frame_out));
    if (reg_valid_i && reg_write_i && !reg_ready_o) begin
      unique case (reg_addr_i)
        20'h00:  in_q[31:0] <= reg_wdata_i;
        20'h10:  never_reset_q <= reg_wdata_i;
        20'h800: fault_q <= reg_wdata_i[2:0];
        20'h804: timer_q <= reg_wdata_i;
        default: ;
      endcase
      assert (reg_addr_i != 20'hFFC)
      else $error("the register that no one may write");
    end

    if (rst_i) begin
      reg_ready_o <= 1'b0;
      in_q <= '0;
      out_q <= '0;
      fault_q <= '0;
      timer_q <= '0;
    end
  end

endmodule
