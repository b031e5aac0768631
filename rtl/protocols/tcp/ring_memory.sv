// SPDX-License-Identifier: Apache-2.0
// Memory with a ring of RingBytes for each session: writes and reads one beat at any byte position
// of a ring, both in every cycle. Positions wrap around at the end of the ring.
//
// A beat at any position spans two rows, one even and one odd. Even and odd rows are in separate
// memories, so an access takes one cycle, a write needs no read, and the same rotated bytes are
// written to both memories: only the write enables differ.
//
// A read that starts at least two cycles after a write returns the new bytes; an earlier one does
// not.
//
// Latency: 7 cycles for a read, two of them in the memory with its output register. Throughput: a
// write and a read per cycle. For beats of 8 to 64 bytes.
module ring_memory #(
    parameter int unsigned DataBytes = 64,
    parameter int unsigned NumSessions = 16,
    parameter int unsigned RingBytes = 65536,  // a power of two, at least 4 beats
    localparam int unsigned SessionWidth = NumSessions > 1 ? $clog2(NumSessions) : 1,
    localparam int unsigned PositionWidth = $clog2(RingBytes),
    localparam int unsigned ByteWidth = $clog2(DataBytes)
) (
    input logic clk_i,

    // Bytes first to end - 1 of the beat are written; no byte if first is not below end.
    input logic                          write_i,
    input logic [ SessionWidth-1:0]      write_session_i,
    input logic [PositionWidth-1:0]      write_position_i,  // position of the beat's byte 0
    input logic [      ByteWidth:0]      write_first_i,
    input logic [      ByteWidth:0]      write_end_i,
    input logic [    DataBytes-1:0][7:0] write_data_i,

    // Bytes from end on are zero.
    input  logic [ SessionWidth-1:0]      read_session_i,
    input  logic [PositionWidth-1:0]      read_position_i,  // position of the beat's byte 0
    input  logic [      ByteWidth:0]      read_end_i,
    output logic [    DataBytes-1:0][7:0] read_data_o       // 7 cycles later
);

  if (DataBytes != 2 ** ByteWidth) begin : gen_bad_bytes
    $error("ring_memory: DataBytes must be a power of two");
  end
  if (NumSessions < 1) begin : gen_bad_sessions
    $error("ring_memory: NumSessions must be at least 1");
  end
  if (RingBytes != 2 ** PositionWidth || RingBytes < 4 * DataBytes) begin : gen_bad_ring
    $error("ring_memory: RingBytes must be a power of two of at least 4 beats");
  end

  // Width of a row's index within its ring
  localparam int unsigned RowWidth = PositionWidth - ByteWidth;
  localparam int unsigned Depth = NumSessions * RingBytes / DataBytes / 2;
  localparam int unsigned AddrWidth = $clog2(Depth);
  typedef logic [DataBytes-1:0][7:0] bytes_t;
  typedef logic [AddrWidth-1:0] addr_t;
  typedef logic [RowWidth-2:0] pair_t;  // an even row and the odd row after it
  typedef logic [ByteWidth-1:0] byte_t;
  typedef logic [ByteWidth:0] count_t;

  // Start of a beat.
  typedef struct packed {
    addr_t even;
    addr_t odd;
    logic  from_odd;  // the first row is odd
    byte_t offset;
  } location_t;

  function automatic location_t location_of(logic [SessionWidth-1:0] session,
                                            logic [PositionWidth-1:0] position);
    pair_t pair;
    location_t location;
    pair = position[PositionWidth-1:ByteWidth+1];
    location.offset = position[ByteWidth-1:0];
    location.from_odd = position[ByteWidth];
    location.odd = addr_t'({session, pair});
    pair += pair_t'(location.from_odd);
    location.even = addr_t'({session, pair});
    return location;
  endfunction

  // Mask of the bytes below a limit, in two steps of one or two LUTs each.
  localparam int unsigned Groups = DataBytes / 8;
  typedef struct packed {
    logic [Groups-1:0] whole;  // groups of eight bytes entirely below it
    logic [Groups-1:0] split;  // the group that contains it
    logic [7:0] bytes;  // bytes below it in that group
  } limit_t;

  function automatic limit_t limit_of(count_t limit);
    limit_t found;
    for (int unsigned g = 0; g < Groups; g++) begin
      found.whole[g] = 32'(limit >> 3) > g;
      found.split[g] = 32'(limit >> 3) == g;
    end
    for (int unsigned b = 0; b < 8; b++) found.bytes[b] = 32'(limit[2:0]) > b;
    return found;
  endfunction

  // Bit n: n < limit.
  function automatic logic [DataBytes-1:0] below(limit_t limit);
    for (int unsigned n = 0; n < DataBytes; n++) begin
      below[n] = limit.whole[n/8] | (limit.split[n/8] & limit.bytes[n%8]);
    end
  endfunction

  bytes_t even_ram[Depth];
  bytes_t odd_ram [Depth];

  // ---- Write ----

  typedef struct packed {
    logic write;
    location_t location;
    // Byte positions over both rows, counted from the first byte of the first row.
    count_t first;
    count_t ends;
  } write_t;
  write_t write_q, limits_q;  // limits_q: only the upper bits of the limits are used
  logic [DataBytes-1:0] past_first_q, before_end_q;  // for each byte of the two rows
  logic [DataBytes-1:0] even_enable_q, odd_enable_q;
  addr_t even_write_q, odd_write_q;
  bytes_t write_data;

  byte_rotate #(
      .NumBytes(DataBytes)
  ) u_write_rotate (
      .clk_i,
      .in_i(write_data_i),
      .amount_i(-write_position_i[ByteWidth-1:0]),
      .keep_i('1),
      .out_o(write_data)
  );

  wire first_in_second = limits_q.first[ByteWidth];
  wire end_in_second = limits_q.ends[ByteWidth];
  wire [DataBytes-1:0] in_first = {DataBytes{~first_in_second}} & past_first_q &
      ({DataBytes{end_in_second}} | before_end_q);
  wire [DataBytes-1:0] in_second = {DataBytes{end_in_second}} & before_end_q &
      ({DataBytes{~first_in_second}} | past_first_q);
  wire from_odd = limits_q.location.from_odd;

  always_ff @(posedge clk_i) begin
    write_q <= '{
        write: write_i,
        location: location_of(write_session_i, write_position_i),
        first: {1'b0, write_position_i[ByteWidth-1:0]} + write_first_i,
        ends: {1'b0, write_position_i[ByteWidth-1:0]} + write_end_i
    };
    limits_q <= write_q;
    past_first_q <= ~below(limit_of({1'b0, write_q.first[ByteWidth-1:0]}));
    before_end_q <= below(limit_of({1'b0, write_q.ends[ByteWidth-1:0]}));
    even_enable_q <= {DataBytes{limits_q.write}} & (from_odd ? in_second : in_first);
    odd_enable_q <= {DataBytes{limits_q.write}} & (from_odd ? in_first : in_second);
    even_write_q <= limits_q.location.even;
    odd_write_q <= limits_q.location.odd;
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned n = 0; n < DataBytes; n++) begin
      if (even_enable_q[n]) even_ram[even_write_q][n] <= write_data[n];
      if (odd_enable_q[n]) odd_ram[odd_write_q][n] <= write_data[n];
    end
  end

  // ---- Read ----

  location_t found_q, location_q;
  logic from_odd_q;
  byte_t offset_q, amount_q;
  logic [DataBytes-1:0] in_odd_q;  // bytes taken from the odd row
  count_t [3:0] end_q;
  limit_t offset_limit_q, end_limit_q;
  logic [DataBytes-1:0] keep_q;
  bytes_t even_read_q, odd_read_q, even_q, odd_q, rows;

  always_comb begin
    for (int unsigned n = 0; n < DataBytes; n++) rows[n] = in_odd_q[n] ? odd_q[n] : even_q[n];
  end

  always_ff @(posedge clk_i) begin
    found_q <= location_of(read_session_i, read_position_i);
    location_q <= found_q;
    even_read_q <= even_ram[location_q.even];
    odd_read_q <= odd_ram[location_q.odd];
    from_odd_q <= location_q.from_odd;
    offset_q <= location_q.offset;
    offset_limit_q <= limit_of({1'b0, location_q.offset});
    even_q <= even_read_q;
    odd_q <= odd_read_q;
    in_odd_q <= {DataBytes{from_odd_q}} ^ below(offset_limit_q);
    amount_q <= offset_q;
    end_q <= {end_q[2:0], read_end_i};
    end_limit_q <= limit_of(end_q[3]);
    keep_q <= below(end_limit_q);
  end

  byte_rotate #(
      .NumBytes(DataBytes)
  ) u_read_rotate (
      .clk_i,
      .in_i(rows),
      .amount_i(amount_q),
      .keep_i(keep_q),
      .out_o(read_data_o)
  );

endmodule
