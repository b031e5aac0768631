// SPDX-License-Identifier: Apache-2.0
// The AXI4-Lite bridge before a register port with a memory, which answers after 0 to `delay`
// cycles.
//
// Streams in: write address, write data and strobes, read address; out: write response, read data
// and response. Control: mask of the delay. Status: accesses of the register port.
`include "bench.svh"

module bench #(
    parameter int unsigned AddressBits  = 12,
    parameter int unsigned RegisterBits = 10,
    parameter int unsigned MapBytes     = 768
) (
    `BENCH_PORTS(3, 36, 2, 34, 3, 32)
);

  `BENCH_SHAPE

  logic valid, write, ready;
  logic [RegisterBits-1:0] addr;
  logic [31:0] wdata, rdata;
  axi_lite_registers #(
      .AddressBits(AddressBits),
      .RegisterBits(RegisterBits),
      .MapBytes(MapBytes)
  ) u_registers (
      .clk_i,
      .rst_i,
      .axi_awaddr_i(in_i[0][AddressBits-1:0]),
      .axi_awprot_i('0),
      .axi_awvalid_i(in_valid_i[0]),
      .axi_awready_o(in_ready_o[0]),
      .axi_wdata_i(in_i[1][31:0]),
      .axi_wstrb_i(in_i[1][35:32]),
      .axi_wvalid_i(in_valid_i[1]),
      .axi_wready_o(in_ready_o[1]),
      .axi_bresp_o(out_o[0][1:0]),
      .axi_bvalid_o(out_valid_o[0]),
      .axi_bready_i(out_ready_i[0]),
      .axi_araddr_i(in_i[2][AddressBits-1:0]),
      .axi_arprot_i('0),
      .axi_arvalid_i(in_valid_i[2]),
      .axi_arready_o(in_ready_o[2]),
      .axi_rdata_o(out_o[1][31:0]),
      .axi_rresp_o(out_o[1][33:32]),
      .axi_rvalid_o(out_valid_o[1]),
      .axi_rready_i(out_ready_i[1]),
      .reg_valid_o(valid),
      .reg_write_o(write),
      .reg_addr_o(addr),
      .reg_wdata_o(wdata),
      .reg_ready_i(ready),
      .reg_rdata_i(rdata)
  );
  assign out_o[0][$bits(out_o[0])-1:2]  = '0;
  assign out_o[1][$bits(out_o[1])-1:34] = '0;

  logic [31:0] words[2**RegisterBits/4];
  logic [31:0] accesses_q;
  logic [2:0] delay_q;
  logic [7:0] random_q;
  assign ready = valid & (delay_q == '0);
  assign rdata = ready & ~write ? words[addr[RegisterBits-1:2]] : 32'hDEADBEEF;
  assign status_o = accesses_q;
  always_ff @(posedge clk_i) begin
    random_q <= {random_q[6:0], random_q[7] ^ random_q[5] ^ random_q[4] ^ random_q[3]};
    if (ready & write) words[addr[RegisterBits-1:2]] <= wdata;
    if (ready | ~valid) delay_q <= random_q[2:0] & control_i;
    else if (delay_q != '0) delay_q <= delay_q - 1'b1;
    if (ready) accesses_q <= accesses_q + 1;
    if (rst_i) begin
      accesses_q <= '0;
      random_q <= 8'd1;
      delay_q <= '0;
      for (int unsigned n = 0; n < 2 ** RegisterBits / 4; n++) words[n] <= '0;
    end
  end
  assign event_o = '0;

endmodule
