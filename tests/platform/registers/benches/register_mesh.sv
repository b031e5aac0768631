// SPDX-License-Identifier: Apache-2.0
// The hub and its mesh, before tiles with 4 words each that respond after 1 to 8 cycles.
//
// Stream in: requests of the one master (more, write, address, data); out: responses to reads.
// Control: mask of the tiles' delay. Status: busy. Event 0: a tile takes a write.
`include "bench.svh"

module bench #(
    parameter  int unsigned Columns    = 4,
    parameter  int unsigned Rows       = 4,
    parameter  int unsigned Hub        = 0,
    localparam int unsigned NumNodes   = Columns * Rows,
    localparam int unsigned WindowBits = 4
) (
    `BENCH_PORTS(1, $bits(bombus_pkg::register_request_t), 1, 32, 3, 1)
);

  `BENCH_SHAPE

  bombus_pkg::register_request_t request;
  logic [NumNodes:0] target_valid, target_ready;
  logic target_write, hub_busy, mesh_busy, mesh_ready;
  logic [WindowBits-1:0] target_addr;
  logic [31:0] target_wdata, mesh_rdata;
  logic [NumNodes:0][31:0] target_rdata;
  assign request = $bits(request)'(in_i[0]);
  register_hub #(
      .NumMasters(1),
      .NumTargets(NumNodes + 1),
      .WindowBits(WindowBits)
  ) u_hub (
      .clk_i,
      .rst_i,
      .request_i(request),
      .request_valid_i(in_valid_i[0]),
      .request_ready_o(in_ready_o[0]),
      .response_o(out_o[0][31:0]),
      .response_valid_o(out_valid_o[0]),
      .response_ready_i(out_ready_i[0]),
      .target_valid_o(target_valid),
      .target_write_o(target_write),
      .target_addr_o(target_addr),
      .target_wdata_o(target_wdata),
      .target_ready_i(target_ready),
      .target_rdata_i(target_rdata),
      .busy_o(hub_busy)
  );
  always_comb begin
    target_ready = '0;
    target_rdata = '0;
    target_ready[1] = mesh_ready;
    target_rdata[1] = mesh_rdata;
    target_ready[0] = own_q;
  end
  logic own_q;
  always_ff @(posedge clk_i) own_q <= target_valid[0] & ~rst_i;

  logic [NumNodes-1:0] valid, write, ready;
  logic [NumNodes-1:0][WindowBits-1:0] addr;
  logic [NumNodes-1:0][31:0] wdata, rdata;
  register_mesh #(
      .Columns(Columns),
      .Rows(Rows),
      .Hub(Hub),
      .WindowBits(WindowBits)
  ) u_mesh (
      .clk_i,
      .rst_i,
      .hub_valid_i (target_valid[NumNodes:1]),
      .hub_write_i (target_write),
      .hub_addr_i  (target_addr),
      .hub_wdata_i (target_wdata),
      .hub_ready_o (mesh_ready),
      .hub_rdata_o (mesh_rdata),
      .tile_valid_o(valid),
      .tile_write_o(write),
      .tile_addr_o (addr),
      .tile_wdata_o(wdata),
      .tile_ready_i(ready),
      .tile_rdata_i(rdata),
      .busy_o      (mesh_busy)
  );
  assign status_o = hub_busy | mesh_busy;

  logic [7:0] random_q;
  logic [NumNodes-1:0] written;
  always_ff @(posedge clk_i) begin
    random_q <= rst_i ? 8'd1
        : {random_q[6:0], random_q[7] ^ random_q[5] ^ random_q[4] ^ random_q[3]};
  end
  for (genvar n = 0; n < NumNodes; n++) begin : gen_tile
    logic [31:0] words[4];
    logic [2:0] delay_q;
    logic open_q, write_q;
    logic [ 1:0] index_q;
    logic [31:0] wdata_q;
    assign ready[n]   = open_q & (delay_q == '0);
    assign rdata[n]   = ready[n] & ~write_q ? words[index_q] : '0;
    assign written[n] = ready[n] & write_q;
    always_ff @(posedge clk_i) begin
      if (valid[n]) begin
        write_q <= write[n];
        index_q <= addr[n][3:2];
        wdata_q <= wdata[n];
        delay_q <= random_q[2:0] & control_i;
      end else if (delay_q != '0) delay_q <= delay_q - 1'b1;
      if (written[n]) words[index_q] <= wdata_q;
      open_q <= ~rst_i & (valid[n] | (open_q & ~ready[n]));
      if (rst_i) for (int unsigned k = 0; k < 4; k++) words[k] <= '0;
    end
  end
  assign event_o = 64'(|written);

endmodule
