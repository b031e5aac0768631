// SPDX-License-Identifier: Apache-2.0
// List of free numbers; after reset all are free. A queue, so that the number that has been free
// for the longest time is used next.
//
// The outputs follow take_i and give_i one cycle later. ready_o is low after reset while the memory
// is filled, one number per cycle.
`include "bombus_assert.svh"

module free_list #(
    parameter int unsigned NumNumbers = 16,  // a power of two, from 2
    localparam type number_t = logic [$clog2(NumNumbers)-1:0]
) (
    input  logic clk_i,
    input  logic rst_i,
    output logic ready_o,

    output logic [$clog2(NumNumbers):0] count_o,
    output logic available_o,  // ready_o and count_o above 0; registered
    output number_t number_o,  // the next free number; valid with available_o
    input logic take_i,  // only while available_o
    input logic give_i,
    input number_t given_i
);

  typedef logic [$clog2(NumNumbers):0] count_t;

  if (NumNumbers < 2 || NumNumbers != 2 ** $clog2(NumNumbers)) begin : gen_bad_number
    $error("free_list: NumNumbers must be a power of two, at least 2");
  end

  logic fill_q, was_empty_q;
  count_t count_q;
  number_t read, read_q, next_q, write_q, first, given_q;
  wire write = fill_q | give_i;
  wire number_t written = fill_q ? write_q : given_i;
  // next_q is always read_q + 1, since take_i arrives late.
  assign read = take_i ? next_q : read_q;

  sized_memory #(
      .data_t(number_t),
      .Depth (NumNumbers)
  ) u_memory (
      .clk_i,
      .write_addr_i(write_q),
      .data_i(written),
      .write_i(write),
      .read_addr_i(read),
      .data_o(first)
  );

  // The bits that change with an increment and with a decrement. Not an adder: take_i arrives late.
  count_t up, down;
  for (genvar b = 0; b < $bits(count_t); b++) begin : gen_count
    localparam count_t Lower = (count_t'(1) << b) - 1'b1;
    assign up[b]   = (count_q & Lower) == Lower;
    assign down[b] = (count_q & Lower) == '0;
  end

  // A number given to an empty queue is read from memory one cycle before it is written, so it is
  // bypassed.
  assign number_o = was_empty_q ? given_q : first;
  assign count_o  = count_q;
  assign ready_o  = ~fill_q;
  always_ff @(posedge clk_i) begin
    given_q <= given_i;
    if (rst_i) begin
      fill_q <= 1'b1;
      read_q <= '0;
      next_q <= number_t'(1);
      write_q <= '0;
      count_q <= count_t'(NumNumbers);
      was_empty_q <= 1'b0;
      available_o <= 1'b0;
    end else begin
      if (&write_q) fill_q <= 1'b0;
      read_q <= read;
      if (take_i) next_q <= next_q + 1'b1;
      write_q <= write_q + number_t'(write);
      if (give_i & ~take_i) count_q <= count_q ^ up;
      if (take_i & ~give_i) count_q <= count_q ^ down;
      was_empty_q <= give_i & (take_i ? count_q == count_t'(1) : count_q == '0);
      available_o <= (~fill_q | &write_q) &
          (give_i | (take_i ? count_q > count_t'(1) : count_q != '0));
    end
  end

  `BOMBUS_ASSERT(TakesFree, !(take_i && !available_o))
  `BOMBUS_ASSERT(NoOverflow, !(give_i && count_q == count_t'(NumNumbers)))

endmodule
