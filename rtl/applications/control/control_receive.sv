// SPDX-License-Identifier: Apache-2.0
// Writes a message from an AXI-Stream into the memory, from row 0 on, and reports its bytes, and
// the tuser of its first beat. One message is held at a time, until release_i. A message that
// arrives meanwhile waits, or (Drops) is discarded; one that does not fit is discarded.
//
// Latency: 1 cycle after the last beat. Throughput: one beat per cycle.
`include "bombus_assert.svh"

module control_receive #(
    parameter int unsigned DataWidth = 512,
    parameter int unsigned UserWidth = 1,
    parameter int unsigned RowBits = 8,
    parameter bit Drops = 1,
    localparam int unsigned DataBytes = DataWidth / 8,
    localparam int unsigned NumLanes = DataWidth / 32,
    localparam int unsigned LengthBits = RowBits + $clog2(DataBytes) + 1
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [DataWidth-1:0] tdata_i,
    input  logic [DataBytes-1:0] tkeep_i,
    input  logic                 tvalid_i,
    output logic                 tready_o,
    input  logic                 tlast_i,
    input  logic [UserWidth-1:0] tuser_i,

    output logic                      write_o,
    output logic [ RowBits-1:0]       row_o,
    output logic [NumLanes-1:0][31:0] wdata_o,

    output logic                  valid_o,
    output logic [LengthBits-1:0] length_o,
    output logic [ UserWidth-1:0] user_o,
    input  logic                  release_i,

    output logic receiving_o,  // a message has begun and not ended
    output logic busy_drop_o,
    output logic long_drop_o
);

  if (DataWidth < 64 || DataWidth != 2 ** $clog2(
          DataWidth
      ) || UserWidth < 1 || RowBits < 1) begin : gen_bad_width
    $error("control_receive: DataWidth must be a power of two from 64, the others at least 1");
  end

  logic skips_q;  // the rest of the message is discarded
  logic [RowBits:0] next_q;  // row of the next beat

  wire taken = tvalid_i & tready_o;
  logic first;
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .last_i (tlast_i),
      .first_o(first)
  );
  wire busy = valid_o & first;
  wire skips = first ? valid_o : skips_q;
  wire [RowBits:0] row = first ? '0 : next_q;
  wire fits = ~row[RowBits];
  wire stores = taken & ~skips & fits;
  assign tready_o = Drops | ~busy;
  assign write_o = stores;
  assign row_o = row[RowBits-1:0];
  assign wdata_o = tdata_i;
  assign receiving_o = ~first;

  logic [$clog2(DataBytes):0] bytes;
  keep_count #(
      .NumBytes(DataBytes)
  ) u_bytes (
      .keep_i (tkeep_i),
      .bytes_o(bytes)
  );

  always_ff @(posedge clk_i) begin
    if (taken) next_q <= row + 1'b1;
    if (taken & first & ~valid_o) user_o <= tuser_i;
    if (taken & ~skips) length_o <= (first ? '0 : length_o) + LengthBits'(bytes);
    busy_drop_o <= taken & first & valid_o & ~rst_i;
    long_drop_o <= taken & ~skips & ~fits & ~rst_i;
    if (rst_i) begin
      skips_q <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      if (taken) skips_q <= skips | ~fits;
      valid_o <= (valid_o & ~release_i) | (taken & tlast_i & ~skips & fits);
    end
  end

  `BOMBUS_ASSERT(KeepsWhatItHolds, !(valid_o && write_o))

endmodule
