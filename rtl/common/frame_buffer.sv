// SPDX-License-Identifier: Apache-2.0
// Buffer of whole frames in block RAM: what is written shows at the output when
// it is committed, and can be taken back until then.
//
// Latency: 2 cycles from the commit. Throughput: one beat per cycle. Depth: a
// power of two. full_o: a write would be lost; the writer must look.
module frame_buffer #(
    parameter type data_t = logic [15:0],
    parameter int unsigned Depth = 512
) (
    input logic clk_i,
    input logic rst_i,

    input  data_t data_i,
    input  logic  write_i,
    input  logic  commit_i,  // shows all up to and with this cycle's write
    input  logic  abort_i,   // takes back all since the last commit
    output logic  full_o,

    output data_t data_o,
    output logic  valid_o,
    input  logic  ready_i
);

  if (Depth < 2 || Depth != 2 ** $clog2(Depth)) begin : gen_bad_depth
    $error("frame_buffer: Depth must be a power of two, at least 2");
  end

  localparam int unsigned AddrWidth = $clog2(Depth);
  typedef logic [AddrWidth:0] pointer_t;

  (* ram_style = "block" *) data_t ram[Depth];
  pointer_t write_q, commit_q, read_q;

  wire pointer_t write_next = write_q + pointer_t'(write_i);
  wire fetch = (read_q != commit_q) & (~valid_o | ready_i);

  // read_q runs one beat ahead of the reader: that beat has left the RAM.
  assign full_o = (write_q ^ read_q) == {1'b1, {AddrWidth{1'b0}}};

  always_ff @(posedge clk_i) begin
    if (write_i) ram[write_q[AddrWidth-1:0]] <= data_i;
    if (fetch) data_o <= ram[read_q[AddrWidth-1:0]];
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      write_q  <= '0;
      commit_q <= '0;
      read_q   <= '0;
      valid_o  <= 1'b0;
    end else begin
      write_q <= abort_i ? commit_q : write_next;
      if (commit_i) commit_q <= write_next;
      if (fetch) read_q <= read_q + pointer_t'(1);
      if (fetch) valid_o <= 1'b1;
      else if (ready_i) valid_o <= 1'b0;
    end
  end

endmodule
