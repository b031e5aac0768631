// SPDX-License-Identifier: Apache-2.0
// Selects the destination board of a message among several that do the same work: in turn, or by a
// hash of address and ports of a packet, so that the messages of a flow go to one board.
//
// board_o is valid, and stable, while the first beat of a message waits. Combinational.
module bridge_destination
  import cluster_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned NumBoards = 1,  // 1 to 32
    parameter logic [31:0][7:0] Boards = '0,
    parameter bit ByFlow = 1'b0
) (
    input logic clk_i,
    input logic rst_i,

    input beat_t in_i,
    input logic  begins_i, // the first beat of a message is taken

    output board_t board_o
);

  if (NumBoards < 1 || NumBoards > 32) begin : gen_bad_boards
    $error("bridge_destination: NumBoards must be 1 to 32");
  end

  logic [4:0] index;
  if (ByFlow) begin : gen_flow
    localparam int unsigned HashBits = 8;
    bombus_pkg::packet_meta_t meta;
    logic [HashBits-1:0] hash;
    assign meta = bombus_pkg::packet_meta_t'(in_i.meta);
    crc_hash #(
        .DataWidth(64),
        .HashWidth(HashBits)
    ) u_hash (
        .data_i({meta.ip, meta.l4.ports}),
        .hash_o(hash)
    );
    assign index = 5'((13'(hash) * 13'(NumBoards)) >> HashBits);
    wire unused = clk_i ^ rst_i ^ begins_i;
  end else begin : gen_in_turn
    wire unused = ^in_i;
    logic [4:0] turn_q;
    assign index = turn_q;
    always_ff @(posedge clk_i) begin
      if (begins_i) turn_q <= turn_q == 5'(NumBoards - 1) ? '0 : turn_q + 1'b1;
      if (rst_i) turn_q <= '0;
    end
  end
  always_comb begin
    board_o = '0;
    for (int unsigned n = 0; n < NumBoards; n++) begin
      if (index == 5'(n)) board_o |= Boards[n];
    end
  end

endmodule
