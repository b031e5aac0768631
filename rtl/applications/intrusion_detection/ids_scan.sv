// SPDX-License-Identifier: Apache-2.0
// Looks up each position of a payload in the bitmaps of fragments, 16 bytes per cycle.
//
// The output is the positions whose bit is set, with their bytes, and the end of each packet. Only
// fragments wholly within the payload and the earlier bytes of its stream are looked up. A read of
// the store yields to other readers (wait_i).
//
// Latency: 9 cycles. Throughput: 16 bytes of payload per cycle, at least a cycle per packet.
`include "bombus_assert.svh"

module ids_scan
  import rule_pkg::*;
#(
    parameter int unsigned Rows = 256,
    parameter int unsigned WordWidth = 11,  // of an index into the store
    localparam int unsigned RowWidth = $clog2(Rows)
) (
    input logic clk_i,
    input logic rst_i,

    input  packet_t packet_i,
    input  logic    packet_valid_i,
    output logic    packet_ready_o,

    // The store; read data arrive three cycles after the request.
    input logic wait_i,
    output logic [WordWidth-1:0] word_o,
    input logic [255:0] data_i,

    // Which of 16 positions have their bit set, and the folded bytes from the first position on.
    output logic [15:0] long_o,
    output logic [15:0] short_o,
    output logic ends_o,
    output logic [9:0] at_o,  // first position, in units of 16
    output logic [183:0] bytes_o,
    output logic valid_o,
    input logic ready_i,

    input logic write_i,
    input logic [RowWidth-1:0] write_row_i,
    input logic [4:0] write_column_i,
    input logic [31:0] write_data_i
);

  if (Rows < MinRows || Rows > MaxRows || Rows != 2 ** RowWidth) begin : gen_bad_rows
    $error("ids_scan: Rows must be a power of two, 256 to 65536");
  end
  if (WordWidth < 4 || WordWidth > 16) begin : gen_bad_words
    $error("ids_scan: WordWidth must be 4 to 16");
  end

  localparam int unsigned Stages = 7;
  localparam int unsigned Depth = 32;
  typedef logic [9:0] at_t;
  localparam int unsigned BitmapRows = bitmap_rows(Rows);
  localparam int unsigned BitmapWidth = $clog2(BitmapRows);

  // ---- Words of the payload ----

  at_t at_q;
  logic continues_q;  // not at the first word of a packet
  wire at_t first_at = packet_i.from[13:4];
  wire at_t at = continues_q ? at_q : first_at;
  wire ends = continues_q ? at_q == packet_i.last_at :
      packet_i.is_small | first_at == packet_i.last_at;

  logic [5:0] outstanding_q;
  logic back, taken_q;
  wire requests = packet_valid_i & ~wait_i & outstanding_q != 6'(Depth);
  assign packet_ready_o = requests & ends;
  assign word_o = WordWidth'({packet_i.beat, 2'b00}) + WordWidth'(at);
  always_ff @(posedge clk_i) begin
    if (requests) at_q <= at + 1'b1;
    if (requests) continues_q <= ~ends;
    outstanding_q <= outstanding_q + 6'(requests) - 6'(back) - 6'(taken_q);
    if (rst_i) begin
      continues_q   <= 1'b0;
      outstanding_q <= '0;
    end
  end

  // Positions of this word at which a fragment may begin.
  wire signed [15:0] here = 16'({at, 4'd0});
  wire signed [15:0] from = 16'(packet_i.from) - here;
  wire signed [15:0] to_long = 16'(packet_i.stop) - here - 16'sd8;
  wire signed [15:0] to_short = 16'(packet_i.stop) - here - 16'sd4;
  logic signed [15:0] from_q, to_long_q, to_short_q;
  logic [Stages-1:1][15:0] may_long_q, may_short_q;
  logic [Stages-1:0] valid_q, ends_q;
  logic [Stages-1:0][9:0] at_stage_q;
  // Positions 0 to 15 from a bound on, and up to one: without carry chains.
  function automatic logic [15:0] starting(logic signed [15:0] bound);
    for (int n = 0; n < 16; n++) starting[n] = bound[15] | (~|bound[14:4] & 4'(n) >= bound[3:0]);
  endfunction
  function automatic logic [15:0] ending(logic signed [15:0] bound);
    for (int n = 0; n < 16; n++) ending[n] = ~bound[15] & (|bound[14:4] | 4'(n) <= bound[3:0]);
  endfunction
  always_ff @(posedge clk_i) begin
    from_q <= from;
    to_long_q <= to_long;
    to_short_q <= to_short;
    may_long_q[1] <= starting(from_q) & ending(to_long_q);
    may_short_q[1] <= starting(from_q) & ending(to_short_q);
    may_long_q[Stages-1:2] <= may_long_q[Stages-2:1];
    may_short_q[Stages-1:2] <= may_short_q[Stages-2:1];
    valid_q <= {valid_q[Stages-2:0], requests};
    ends_q <= {ends_q[Stages-2:0], ends};
    at_stage_q <= {at_stage_q[Stages-2:0], at};
    if (rst_i) valid_q <= '0;
  end

  // ---- Hashes: of four bytes, then of eight ----

  logic [22:0][7:0] folded;
  logic [Stages-1:3][183:0] folded_q;
  hash_t [19:0] four_q;
  logic [15:0][BitmapWidth+5:0] long_bit_q;
  logic [15:0][BitmapWidth+4:0] short_bit_q;
  always_comb for (int n = 0; n < 23; n++) folded[n] = fold(data_i[8*n+:8]);
  always_ff @(posedge clk_i) begin
    folded_q <= {folded_q[Stages-2:3], folded};
    for (int n = 0; n < 20; n++)
    four_q[n] <= hash_of_four({folded[n+3], folded[n+2], folded[n+1], folded[n]});
    for (int n = 0; n < 16; n++) begin
      long_bit_q[n]  <= (BitmapWidth + 6)'(first_hash(1'b0, four_q[n], four_q[n+4]));
      short_bit_q[n] <= (BitmapWidth + 5)'(first_hash(1'b1, four_q[n], '0));
    end
  end

  logic [15:0] long_bits, short_bits;
  wire [BitmapWidth-1:0] bitmap_row = write_row_i[BitmapWidth-1:0];
  wire writes = write_i & 32'(write_row_i) < BitmapRows;
  ids_bitmap #(
      .Words(2 * BitmapRows)
  ) u_long (
      .clk_i,
      .bit_i(long_bit_q),
      .found_o(long_bits),
      .write_i(writes & write_column_i[4:1] == 4'(ColumnLong / 2)),
      .write_word_i({bitmap_row, write_column_i[0]}),
      .data_i(write_data_i)
  );
  ids_bitmap #(
      .Words(BitmapRows)
  ) u_short (
      .clk_i,
      .bit_i(short_bit_q),
      .found_o(short_bits),
      .write_i(writes & write_column_i == 5'(ColumnShort)),
      .write_word_i(bitmap_row),
      .data_i(write_data_i)
  );

  // ---- Positions worth checking ----

  typedef struct packed {
    logic [15:0] longs;
    logic [15:0] shorts;
    logic ends;
  } head_t;
  typedef struct packed {
    at_t at;
    logic [183:0] bytes;
  } body_t;
  head_t head_q, head;
  body_t body_q, body;
  logic push_q, unused_ready;
  wire [15:0] long_found = long_bits & may_long_q[6];
  wire [15:0] short_found = short_bits & may_short_q[6];
  wire is_some = |{long_found, short_found} | ends_q[6];
  always_ff @(posedge clk_i) begin
    push_q <= valid_q[6] & is_some & ~rst_i;
    back   <= valid_q[6] & ~is_some & ~rst_i;
    head_q <= '{longs: long_found, shorts: short_found, ends: ends_q[6]};
    body_q <= '{at: at_stage_q[6], bytes: folded_q[6]};
  end
  head_fifo #(
      .head_t(head_t),
      .body_t(body_t),
      .Depth (Depth)
  ) u_found (
      .clk_i,
      .rst_i,
      .in_head_i  (head_q),
      .in_body_i  (body_q),
      .in_valid_i (push_q),
      .in_ready_o (unused_ready),
      .out_head_o (head),
      .out_body_o (body),
      .out_valid_o(valid_o),
      .out_ready_i(ready_i)
  );
  always_ff @(posedge clk_i) taken_q <= valid_o & ready_i & ~rst_i;  // ready_i is late
  assign {long_o, short_o, ends_o} = head;
  assign {at_o, bytes_o} = body;

  `BOMBUS_ASSERT(FoundHaveRoom, !push_q || unused_ready)
  `BOMBUS_ASSERT(OutstandingBounded, 32'(outstanding_q) <= Depth)

endmodule
