// SPDX-License-Identifier: Apache-2.0
// Looks up the positions whose bit is set in the fragment tables, one after another.
//
// A fragment is stored in one of two rows, selected by two hashes. The output is each fragment
// found, with its position and the row of its first rule, then the end of the packet. A fragment
// whose rules are all settled for its packet (settled_i) is left out. In a run of equal bytes that
// are such a fragment, its positions take no time.
//
// Latency: 7 cycles. Throughput: one position per cycle.
`include "bombus_assert.svh"

module ids_find
  import rule_pkg::*;
#(
    parameter int unsigned Rows = 256,
    localparam int unsigned RowWidth = $clog2(Rows)
) (
    input logic clk_i,
    input logic rst_i,

    input logic [15:0] long_i,
    input logic [15:0] short_i,
    input logic ends_i,
    input logic [9:0] at_i,
    input logic [183:0] bytes_i,
    input logic valid_i,
    output logic ready_o,

    output match_t match_o,
    output logic   match_valid_o,
    input  logic   match_ready_i,

    input settled_t settled_i,
    input logic finished_i,  // the check is done with a packet, after the last of settled_i for it

    input logic write_i,
    input logic [RowWidth-1:0] write_row_i,
    input logic [4:0] write_column_i,
    input logic [31:0] write_data_i
);

  if (Rows < MinRows || Rows > MaxRows || Rows != 2 ** RowWidth) begin : gen_bad_rows
    $error("ids_find: Rows must be a power of two, 256 to 65536");
  end

  localparam int unsigned Depth = 16;

  // ---- The packet in the check ----

  // Packets by number: those here, and the one in the check, fewer than 32.
  typedef logic [4:0] number_t;
  number_t packet_q, checked_q;
  settled_t settled_q;
  logic finished_q;
  always_ff @(posedge clk_i) begin
    settled_q  <= settled_i;
    finished_q <= finished_i;
    checked_q  <= checked_q + number_t'(finished_q);
    if (rst_i) begin
      settled_q.valid <= 1'b0;
      finished_q <= 1'b0;
      checked_q <= '0;
    end
  end

  // A settled fragment of equal bytes, of eight or of four.
  logic [ 1:0] run_q;  // short, long
  logic [ 7:0] run_byte_q;
  logic [ 1:0] run_found;
  logic [ 7:0] run_byte;
  logic [22:0] same;
  logic [15:0] long_run, short_run;
  logic is_of_checked;  // the positions that follow are of the packet in the check
  always_comb begin
    for (int unsigned n = 0; n < 23; n++) same[n] = bytes_i[8*n+:8] == run_byte_q;
    for (int unsigned n = 0; n < 16; n++) begin
      long_run[n]  = run_q[0] & is_of_checked & (&same[n+:8]);
      short_run[n] = run_q[1] & is_of_checked & (&same[n+:4]);
    end
  end
  always_ff @(posedge clk_i) begin
    if (|run_found) begin
      run_q <= run_found | (run_byte == run_byte_q ? run_q : '0);
      run_byte_q <= run_byte;
    end
    if (rst_i | finished_q) run_q <= '0;
  end

  // ---- One position at a time ----

  logic [31:0] left_q;  // positions whose bit is set: for eight bytes, and below them for four
  logic ends_q, valid_q;
  logic [  9:0] at_q;
  logic [183:0] bytes_q;
  logic [  4:0] outstanding_q;
  logic back, taken;

  wire requests = valid_q & outstanding_q != 5'(Depth);
  wire [31:0] one = left_q & (~left_q + 1'b1);
  wire is_last = (left_q ^ one) == '0;
  assign ready_o = ~valid_q | requests & is_last;
  wire held_ends = valid_q & ends_q;
  wire packet_leaves = requests & is_last & ends_q;
  assign is_of_checked = packet_q + number_t'(held_ends) == checked_q;
  logic [4:0] number;
  always_comb begin
    number = '0;
    for (int unsigned n = 0; n < 32; n++) if (one[n]) number |= 5'(n);
  end
  always_ff @(posedge clk_i) begin
    if (requests) left_q <= left_q ^ one;
    packet_q <= packet_q + number_t'(packet_leaves);
    if (ready_o) begin
      left_q <= {short_i & ~short_run, long_i & ~long_run};
      ends_q <= ends_i;
      at_q <= at_i;
      bytes_q <= bytes_i;
      valid_q <= valid_i;
    end
    outstanding_q <= outstanding_q + 5'(requests) - 5'(back) - 5'(taken);
    if (rst_i) begin
      valid_q <= 1'b0;
      outstanding_q <= '0;
      packet_q <= '0;
    end
  end

  // ---- The bytes at this position, their hashes, and the table rows ----

  typedef struct packed {
    logic is_there;  // there is a position; 0: only the end of a packet
    logic is_short;
    logic ends;
    offset_t offset;
    number_t packet;
  } tag_t;
  tag_t [4:0] tag_q;
  logic [4:0] request_q;
  logic [183:0] from_q;
  logic [4:1][63:0] key_q;
  hash_t low_q, high_q;
  wire [63:0] key = 64'(from_q >> {tag_q[0].offset[3:0], 3'd0});
  always_ff @(posedge clk_i) begin
    request_q <= {request_q[3:0], requests};
    from_q <= bytes_q;
    tag_q[0] <= '{
        is_there: |left_q,
        is_short: number[4],
        ends: ends_q & is_last,
        offset: {at_q, number[3:0]},
        packet: packet_q
    };
    tag_q[4:1] <= tag_q[3:0];
    key_q[1] <= tag_q[0].is_short ? {32'd0, key[31:0]} : key;
    key_q[4:2] <= key_q[3:1];
    low_q <= hash_of_four(key_q[1][31:0]);
    high_q <= hash_of_four(key_q[1][63:32]);
    if (rst_i) request_q <= '0;
  end

  localparam int unsigned Columns[2] = '{ColumnFirst, ColumnSecond};
  logic [1:0][2:0][31:0] words;  // from both rows: eight bytes, then the row of the first rule
  logic [1:0] found, is_done_q, found_q;
  row_t [1:0] row_q, place_q;
  logic is_checked_q;  // its packet is in the check
  always_ff @(posedge clk_i) is_checked_q <= tag_q[3].packet == checked_q;
  for (genvar h = 0; h < 2; h++) begin : gen_half
    logic [RowWidth-1:0] row_addr_q;
    always_ff @(posedge clk_i) begin
      row_addr_q <= h == 0 ? RowWidth'(first_hash(tag_q[2].is_short, low_q, high_q)) :
          RowWidth'(second_hash(tag_q[2].is_short, low_q, high_q));
    end
    for (genvar n = 0; n < 3; n++) begin : gen_word
      (* ram_style = "block" *) logic [31:0] memory[Rows];
      always_ff @(posedge clk_i) begin
        if (write_i & write_column_i == 5'(Columns[h] + n)) memory[write_row_i] <= write_data_i;
        words[h][n] <= memory[row_addr_q];
      end
    end
    (* ram_style = "block" *) logic is_done[Rows];
    logic [RowWidth-1:0] row_addr2_q;
    always_ff @(posedge clk_i) begin
      if (settled_q.valid & (settled_q.both | settled_q.place.is_second == 1'(h)))
        is_done[settled_q.place.row[RowWidth-1:0]] <= settled_q.is_done;
      is_done_q[h] <= is_done[row_addr_q];
    end
    assign found[h] = {words[h][1], words[h][0]} == key_q[4]
        & words[h][2][31:30] == {tag_q[4].is_short, 1'b1} & tag_q[4].is_there;
    always_ff @(posedge clk_i) begin
      row_addr2_q <= row_addr_q;
      found_q[h] <= found[h] & ~(is_done_q[h] & is_checked_q);
      row_q[h] <= row_t'(words[h][2][RowWidth-1:0]);
      place_q[h] <= row_t'(row_addr2_q);
    end
  end
  logic is_long_run_q, is_short_run_q;
  always_ff @(posedge clk_i) begin
    is_short_run_q <= key_q[3][31:8] == {3{key_q[3][7:0]}};
    is_long_run_q  <= key_q[3][63:8] == {7{key_q[3][7:0]}};
  end
  assign run_byte = key_q[4][7:0];
  assign run_found = {2{|(found & is_done_q) & is_checked_q}} &
      {tag_q[4].is_short & is_short_run_q, ~tag_q[4].is_short & is_long_run_q};

  tag_t tag5_q;
  logic go5_q;
  always_ff @(posedge clk_i) begin
    tag5_q <= tag_q[4];
    go5_q  <= request_q[4] & ~rst_i;
  end

  logic unused_ready, unused_out;
  match_t match;
  assign match = '{
          is_match: |found_q,
          ends: tag5_q.ends,
          offset: tag5_q.offset,
          row: found_q[0] ? row_q[0] : row_q[1],
          place: '{is_second: ~found_q[0], row: found_q[0] ? place_q[0] : place_q[1]}
      };
  wire is_some = match.is_match | match.ends;
  assign back = go5_q & ~is_some;
  head_fifo #(
      .head_t(match_t),
      .body_t(logic),
      .Depth (Depth)
  ) u_matches (
      .clk_i,
      .rst_i,
      .in_head_i  (match),
      .in_body_i  (1'b0),
      .in_valid_i (go5_q & is_some),
      .in_ready_o (unused_ready),
      .out_head_o (match_o),
      .out_body_o (unused_out),
      .out_valid_o(match_valid_o),
      .out_ready_i(match_ready_i)
  );
  assign taken = match_valid_o & match_ready_i;

  `BOMBUS_ASSERT(MatchesHaveRoom, !(go5_q && is_some) || unused_ready)
  `BOMBUS_ASSERT(OutstandingBounded, 32'(outstanding_q) <= Depth)

endmodule
