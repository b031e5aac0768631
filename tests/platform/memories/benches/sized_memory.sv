// SPDX-License-Identifier: Apache-2.0
// sized_memory. Stream in: in each cycle of it something is read, and perhaps written: read_addr (16
// bits), write_addr (16), data (16), write. Stream out: what was read, in order.
`include "bench.svh"

module bench #(
    parameter int unsigned Depth = 16
) (
    `BENCH_PORTS(1, 56, 1, 16, 1, 1)
);

  `BENCH_SHAPE

  localparam int unsigned DataWidth = 11;  // no multiple of any slice's width
  localparam int unsigned AddrWidth = $clog2(Depth);
  typedef struct packed {
    logic [6:0]  unused;
    logic        write;
    logic [15:0] data;
    logic [15:0] write_addr;
    logic [15:0] read_addr;
  } access_t;
  wire access_t access = in_i[0];

  logic [DataWidth-1:0] read;
  sized_memory #(
      .data_t(logic [DataWidth-1:0]),
      .Depth (Depth)
  ) u_memory (
      .clk_i,
      .write_addr_i(access.write_addr[AddrWidth-1:0]),
      .data_i(access.data[DataWidth-1:0]),
      .write_i(access.write & in_valid_i[0]),
      .read_addr_i(access.read_addr[AddrWidth-1:0]),
      .data_o(read)
  );

  always_ff @(posedge clk_i) out_valid_o[0] <= in_valid_i[0] & ~rst_i;
  assign in_ready_o[0] = 1'b1;
  assign out_o[0] = 16'(read);
  assign status_o = control_i;
  assign event_o = '0;

endmodule
