// SPDX-License-Identifier: Apache-2.0
// Joins two initiators of AXI4 bursts, `one` and `two`, to one port. If both have an address, they
// take turns: after a burst of either, one of the other that waits is next, so an address waits for
// at most one burst of the other, of its direction, and for those that the port has taken. Data of
// written bursts and answers have the order of the addresses, so all bursts have one ID. An
// initiator that does not give or take its data without waiting delays the other.
//
// Up to 64 bursts of each direction have no answer; further addresses wait.
//
// A reset is also one of the port: no response to an earlier burst may follow.
//
// Latency: 1 cycle for addresses, 0 for data and answers; data follow their address by 1 cycle at
// least. Throughput: one beat per cycle each way.
`include "axi_ports.svh"
`include "bombus_assert.svh"

module axi_share #(
    parameter int unsigned DataWidth = 512,
    parameter int unsigned AddrWidth = 32
) (
    input logic clk_i,
    input logic rst_i,

    `BOMBUS_AXI_WRITE_TARGET(one)
    `BOMBUS_AXI_READ_TARGET(one)

    `BOMBUS_AXI_WRITE_TARGET(two)
    `BOMBUS_AXI_READ_TARGET(two)

    `BOMBUS_AXI_WRITE_INITIATOR(axi)
    `BOMBUS_AXI_READ_INITIATOR(axi)

    output logic busy_o  // a burst has no answer
);

  if (DataWidth < 8 || DataWidth % 8 != 0 || AddrWidth < 1) begin : gen_bad_width
    $error("axi_share: DataWidth must be a multiple of 8, AddrWidth at least 1");
  end

  localparam int unsigned Outstanding = 64;
  typedef struct packed {
    logic [AddrWidth-1:0] address;
    logic [7:0] len;
  } burst_t;

  // ---- Addresses: each direction has its turn ----

  burst_t read, write;
  logic read_two, write_two, read_grant, write_grant;
  logic read_ready, reads_ready, write_ready, writes_ready;
  logic last_read_q, last_write_q;  // the initiator of the latest burst is `two`
  assign read_two = two_arvalid_i & ~(one_arvalid_i & last_read_q);
  assign write_two = two_awvalid_i & ~(one_awvalid_i & last_write_q);
  assign read = read_two ?
      '{address: two_araddr_i, len: two_arlen_i} :
      '{address: one_araddr_i, len: one_arlen_i};
  assign write = write_two ?
      '{address: two_awaddr_i, len: two_awlen_i} :
      '{address: one_awaddr_i, len: one_awlen_i};
  assign read_grant = (one_arvalid_i | two_arvalid_i) & read_ready & reads_ready;
  assign write_grant = (one_awvalid_i | two_awvalid_i) & write_ready & writes_ready;
  assign one_arready_o = read_ready & reads_ready & ~read_two;
  assign two_arready_o = read_ready & reads_ready & read_two;
  assign one_awready_o = write_ready & writes_ready & ~write_two;
  assign two_awready_o = write_ready & writes_ready & write_two;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      last_read_q  <= 1'b0;
      last_write_q <= 1'b0;
    end else begin
      if (read_grant) last_read_q <= read_two;
      if (write_grant) last_write_q <= write_two;
    end
  end

  stream_register #(
      .data_t(burst_t)
  ) u_read (
      .clk_i,
      .rst_i,
      .in_i(read),
      .in_valid_i(read_grant),
      .in_ready_o(read_ready),
      .out_o({axi_araddr_o, axi_arlen_o}),
      .out_valid_o(axi_arvalid_o),
      .out_ready_i(axi_arready_i)
  );
  stream_register #(
      .data_t(burst_t)
  ) u_write (
      .clk_i,
      .rst_i,
      .in_i(write),
      .in_valid_i(write_grant),
      .in_ready_o(write_ready),
      .out_o({axi_awaddr_o, axi_awlen_o}),
      .out_valid_o(axi_awvalid_o),
      .out_ready_i(axi_awready_i)
  );

  // ---- Whose they are, in order: reads, written data, and responses ----

  logic read_of_two, data_of_two, response_of_two;
  logic reads_left, data_left, responses_left, responses_ready;
  logic unused_read, unused_data, unused_response;
  wire read_ends = axi_rvalid_i & axi_rready_o & axi_rlast_i;
  wire data_end = axi_wvalid_o & axi_wready_i & axi_wlast_o;
  head_fifo #(
      .head_t(logic),
      .body_t(logic),
      .Depth (Outstanding)
  ) u_reads (
      .clk_i,
      .rst_i,
      .in_head_i  (read_two),
      .in_body_i  (1'b0),
      .in_valid_i (read_grant),
      .in_ready_o (reads_ready),
      .out_head_o (read_of_two),
      .out_body_o (unused_read),
      .out_valid_o(reads_left),
      .out_ready_i(read_ends)
  );
  head_fifo #(
      .head_t(logic),
      .body_t(logic),
      .Depth (Outstanding)
  ) u_data (
      .clk_i,
      .rst_i,
      .in_head_i  (write_two),
      .in_body_i  (1'b0),
      .in_valid_i (write_grant),
      .in_ready_o (writes_ready),
      .out_head_o (data_of_two),
      .out_body_o (unused_data),
      .out_valid_o(data_left),
      .out_ready_i(data_end)
  );
  head_fifo #(
      .head_t(logic),
      .body_t(logic),
      .Depth (Outstanding)
  ) u_responses (
      .clk_i,
      .rst_i,
      .in_head_i  (data_of_two),
      .in_body_i  (1'b0),
      .in_valid_i (data_end),
      .in_ready_o (responses_ready),
      .out_head_o (response_of_two),
      .out_body_o (unused_response),
      .out_valid_o(responses_left),
      .out_ready_i(axi_bvalid_i & axi_bready_o)
  );

  // ---- Written data ----

  wire gives = data_left & responses_ready;
  assign axi_wdata_o = data_of_two ? two_wdata_i : one_wdata_i;
  assign axi_wstrb_o = data_of_two ? two_wstrb_i : one_wstrb_i;
  assign axi_wlast_o = data_of_two ? two_wlast_i : one_wlast_i;
  assign axi_wvalid_o = gives & (data_of_two ? two_wvalid_i : one_wvalid_i);
  assign one_wready_o = gives & axi_wready_i & ~data_of_two;
  assign two_wready_o = gives & axi_wready_i & data_of_two;

  // ---- Answers ----

  assign one_rdata_o = axi_rdata_i;
  assign two_rdata_o = axi_rdata_i;
  assign one_rresp_o = axi_rresp_i;
  assign two_rresp_o = axi_rresp_i;
  assign one_rlast_o = axi_rlast_i;
  assign two_rlast_o = axi_rlast_i;
  assign one_rvalid_o = axi_rvalid_i & ~read_of_two;
  assign two_rvalid_o = axi_rvalid_i & read_of_two;
  assign axi_rready_o = read_of_two ? two_rready_i : one_rready_i;
  assign one_bresp_o = axi_bresp_i;
  assign two_bresp_o = axi_bresp_i;
  assign one_bvalid_o = axi_bvalid_i & ~response_of_two;
  assign two_bvalid_o = axi_bvalid_i & response_of_two;
  assign axi_bready_o = response_of_two ? two_bready_i : one_bready_i;

  assign busy_o = reads_left | data_left | responses_left;

  `BOMBUS_ASSERT(AnswerToBurst, !axi_rvalid_i || reads_left)
  `BOMBUS_ASSERT(ResponseToBurst, !axi_bvalid_i || responses_left)

  // ---- An address waits for at most one burst of the other ----

  logic [3:0] passed_q;  // by it: reads of `one` and `two`, writes of both
  wire [3:0] waits = {two_awvalid_i, one_awvalid_i, two_arvalid_i, one_arvalid_i};
  wire [3:0] taken = {
    write_grant & write_two, write_grant & ~write_two, read_grant & read_two, read_grant & ~read_two
  };
  wire [3:0] passes = {taken[2], taken[3], taken[0], taken[1]} & waits;
  always_ff @(posedge clk_i) begin
    if (rst_i) passed_q <= '0;
    else passed_q <= (passed_q | passes) & ~taken;
  end
  `BOMBUS_ASSERT(InTurn, (passed_q & passes) == '0)

endmodule
