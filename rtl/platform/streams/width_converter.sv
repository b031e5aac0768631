// SPDX-License-Identifier: Apache-2.0
// Converts the bytes of messages between words of any two widths, for kernels whose words differ
// from the beats of a design.
//
// Words are full except the last one of a message, whose bytes_i are 1 to InBytes and whose other
// bytes are zero. The bytes of the next message begin in a new word.
//
// Latency: 1 cycle from the input that completes a word. Throughput: one word per cycle at the
// wider side; a partial word at the end of a message takes a cycle. in_ready_o depends
// combinationally on out_ready_i.
`include "bombus_assert.svh"

module width_converter #(
    parameter int unsigned InBytes = 64,
    parameter int unsigned OutBytes = 50,
    localparam int unsigned InCountWidth = $clog2(InBytes + 1),
    localparam int unsigned OutCountWidth = $clog2(OutBytes + 1)
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [   8*InBytes-1:0] in_data_i,
    input  logic [InCountWidth-1:0] in_bytes_i,  // valid with in_last_i
    input  logic                    in_last_i,
    input  logic                    in_valid_i,
    output logic                    in_ready_o,

    output logic [   8*OutBytes-1:0] out_data_o,
    output logic [OutCountWidth-1:0] out_bytes_o,
    output logic                     out_last_o,
    output logic                     out_valid_o,
    input  logic                     out_ready_i
);

  if (InBytes < 1 || OutBytes < 1) begin : gen_bad_width
    $error("width_converter: InBytes and OutBytes must be at least 1");
  end

  // Bytes move in units of this size, except at the end of a message.
  function automatic int unsigned divisor(int unsigned a, int unsigned b);
    int unsigned high, low, rest;
    high = a;
    low  = b;
    while (low != 0) begin
      rest = high % low;
      high = low;
      low  = rest;
    end
    return high;
  endfunction
  localparam int unsigned Unit = divisor(InBytes, OutBytes);
  localparam int unsigned Capacity = InBytes + OutBytes - Unit;
  localparam int unsigned NumUnits = Capacity / Unit;
  typedef logic [$clog2(Capacity+1)-1:0] level_t;
  typedef logic [$clog2(NumUnits+1)-1:0] units_t;
  typedef logic [8*Capacity-1:0] buffer_t;

  buffer_t buffer_q;
  level_t  level_q;  // bytes in the buffer
  logic    ends_q;  // the last of them is the last of its message

  wire has_word = level_q >= level_t'(OutBytes);
  wire is_end = ends_q & (level_q <= level_t'(OutBytes));
  assign out_valid_o = has_word | ends_q;
  assign out_last_o  = is_end;
  assign out_bytes_o = has_word ? OutCountWidth'(OutBytes) : OutCountWidth'(level_q);
  assign out_data_o  = buffer_q[8*OutBytes-1:0];

  // What remains after the output of this cycle, and the input that follows it
  wire pops = out_valid_o & out_ready_i;
  level_t rest;
  buffer_t remaining;
  always_comb begin
    rest = level_q;
    remaining = buffer_q;
    if (pops) begin
      rest = is_end ? '0 : level_q - level_t'(OutBytes);
      remaining = buffer_q >> (8 * OutBytes);
    end
  end
  wire ends = ends_q & ~(pops & is_end);
  assign in_ready_o = ~ends & (rest <= level_t'(Capacity - InBytes));
  wire pushes = in_valid_i & in_ready_o;

  // The end of a message is at no multiple of a unit, but nothing follows it there.
  wire units_t position = units_t'(32'(rest) / Unit);
  buffer_t buffer_d;
  always_comb begin
    buffer_d = remaining;
    if (pushes) buffer_d = remaining | (buffer_t'(in_data_i) << (32'(position) * 8 * Unit));
  end

  level_t more;
  assign more = in_last_i ? level_t'(in_bytes_i) : level_t'(InBytes);
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      buffer_q <= '0;
      level_q  <= '0;
      ends_q   <= 1'b0;
    end else begin
      buffer_q <= buffer_d;
      level_q  <= rest + (pushes ? more : '0);
      ends_q   <= pushes ? in_last_i : ends;
    end
  end

  `BOMBUS_ASSERT(BytesExist,
                 !(in_valid_i && in_last_i) || (in_bytes_i != '0 && 32'(in_bytes_i) <= InBytes))
  `BOMBUS_ASSERT(FollowsUnit, !pushes || 32'(rest) % Unit == 0)

endmodule
