// SPDX-License-Identifier: Apache-2.0
// Checks the items of a batch, or carries them out as a master of registers. A batch is checked
// whole before its first access; start_i begins a pass, with applies_i for the second.
//
// status_o and item_o are valid with done_o: of a check, the first item that is refused. The words
// of reads are written to the memory from results_i on; results_o counts them. While a batch is
// carried out, the hub is reserved, so that no other master's access is among its own.
//
// A check takes 4 cycles per item, a write 4 cycles, a further word of a block 2.
`include "bombus_assert.svh"

module control_batch
  import control_pkg::*;
#(
    parameter int unsigned AddressBits = 13,  // of the memory
    parameter int unsigned WindowBits  = 12,  // of a tile's registers
    parameter int unsigned OwnWindow   = 0    // whose registers no request accesses
) (
    input logic clk_i,
    input logic rst_i,

    input logic start_i,
    input logic applies_i,  // constant until done_o, as are the following
    input rights_t rights_i,
    input logic [AddressBits-1:0] end_i,  // the batch is words 0 to end_i - 1
    input logic [AddressBits-1:0] results_i,
    output logic done_o,
    output status_e status_o,
    output logic [15:0] item_o,
    output logic [10:0] results_o,

    output logic [AddressBits-1:0] read_address_o,
    input logic [31:0] rdata_i,
    output logic write_o,
    output logic [AddressBits-1:0] write_address_o,
    output logic [31:0] wdata_o,

    output bombus_pkg::register_request_t register_request_o,
    output logic register_request_valid_o,
    input logic register_request_ready_i,
    input logic [31:0] register_response_i,
    input logic register_response_valid_i,
    output logic register_response_ready_o
);

  if (AddressBits < 12 || AddressBits > 16 || WindowBits < 12 || WindowBits > 28) begin : gen_bad
    $error("control_batch: AddressBits must be 12 to 16, WindowBits 12 to 28");
  end

  typedef logic [AddressBits-1:0] index_t;
  typedef enum logic [3:0] {
    Idle,
    First,    // the address of an item's first word is at the memory
    Second,
    Bound,    // the address of its last access is computed
    Judge,
    Fetch,    // a word of data is read
    Request,
    Response
  } state_e;
  state_e state_q;

  index_t position_q, next_q, read_q;
  operation_e operation_q;
  logic [31:0] address_q, operand_q, last_q;
  logic [10:0] count_q;
  logic counted_ok_q;  // the count is valid
  logic first_missing_q, short_q;  // the item is cut off
  logic modifies_q;  // a masked write has read its register

  wire is_block = operation_q == WriteBlock;
  wire is_read = operation_q == Read;
  wire counts = is_read | is_block;

  // Words that follow an item's first word: one or two, and the data of a block
  wire index_t second = position_q + index_t'(1);
  wire index_t third = position_q + index_t'(2);

  // ---- Check ----

  function automatic logic allowed(logic [31:0] address, rights_t rights);
    return address[31:28] == '0 && address[27:12] >= rights.first_page
        && address[27:12] <= rights.last_page
        && 32'(address[31:WindowBits]) != OwnWindow;
  endfunction
  wire rights_ok = allowed(
      address_q, rights_i
  ) & allowed(
      last_q, rights_i
  ) & (rights_i.may_read | operation_q == Write | is_block) & (rights_i.may_write | is_read);
  wire [11:0] results = 12'(results_o) + 12'(count_q);
  wire results_ok = ~is_read | results <= 12'(MaxResultWords);
  status_e judged;
  always_comb begin
    judged = Ok;
    if (short_q | (counts & ~counted_ok_q)) judged = Malformed;
    else if (~rights_ok) judged = NoRight;
    else if (~results_ok) judged = TooLong;
  end

  // ---- Accesses ----

  wire requested = register_request_valid_o & register_request_ready_i;
  wire responded = register_response_valid_i & register_response_ready_o;
  wire writes = (operation_q == Write) | is_block | modifies_q;
  wire last_word = count_q == 11'd1;
  wire last_item = next_q == end_i;
  assign register_request_o = '{
          more: ~last_item | ~last_word | (operation_q == MaskedWrite & ~modifies_q),
          write: writes,
          address: address_q,
          wdata: operand_q
      };
  assign register_request_valid_o = state_q == Request;
  assign register_response_ready_o = state_q == Response;
  assign write_o = responded & is_read;
  assign write_address_o = results_i + index_t'(results_o);
  assign wdata_o = register_response_i;
  wire access_done = (requested & writes) | (responded & is_read);
  wire item_done = access_done & last_word;

  always_comb begin
    unique case (state_q)
      First:   read_address_o = second;
      Second:  read_address_o = third;
      default: read_address_o = read_q;
    endcase
    if (state_q == Idle | (state_q == Judge & ~applies_i) | item_done) begin
      read_address_o = state_q == Idle ? '0 : next_q;
    end
  end

  always_ff @(posedge clk_i) begin
    done_o <= 1'b0;
    unique case (state_q)
      Idle: begin
        position_q <= '0;
        item_o <= '0;
        results_o <= '0;
        status_o <= Ok;
        if (start_i) begin
          if (end_i == '0) done_o <= 1'b1;
          else state_q <= First;
        end
      end
      First: begin  // rdata_i: the address
        operation_q <= operation_e'(rdata_i[1:0]);
        address_q <= {rdata_i[31:2], 2'b00};
        first_missing_q <= second >= end_i;
        modifies_q <= 1'b0;
        state_q <= Second;
      end
      Second: begin  // rdata_i: data, mask or count
        operand_q <= rdata_i;
        count_q <= counts ? rdata_i[10:0] : 11'd1;
        counted_ok_q <= rdata_i[31:11] == '0 && rdata_i[10:0] != '0
            && rdata_i[10:0] <= 11'(MaxResultWords);
        next_q <= third + (operation_q == MaskedWrite ? index_t'(1)
            : is_block ? index_t'(rdata_i[10:0]) : '0);
        read_q <= third;
        state_q <= Bound;
      end
      Bound: begin
        last_q  <= address_q + {19'b0, count_q - 11'd1, 2'b00};
        short_q <= first_missing_q | next_q > end_i | next_q < position_q;
        // rdata_i: the word after the operand
        if (applies_i) begin
          if (is_block) begin
            operand_q <= rdata_i;
            read_q <= read_q + index_t'(1);
          end
          state_q <= Request;
        end else begin
          state_q <= Judge;
        end
      end
      Judge: begin
        position_q <= next_q;
        item_o <= item_o + 16'd1;
        if (is_read) results_o <= results[10:0];
        state_q <= First;
        if (judged != Ok) begin
          status_o <= judged;
          item_o   <= item_o;
        end
        if (judged != Ok | next_q == end_i) begin
          done_o  <= 1'b1;
          state_q <= Idle;
        end
      end
      Fetch: begin  // the word of read_q arrives
        operand_q <= rdata_i;
        read_q <= read_q + index_t'(1);
        state_q <= Request;
      end
      Request: begin
        if (requested) begin
          if (~writes) state_q <= Response;
          else if (is_block) state_q <= Fetch;
        end
      end
      Response: begin
        if (responded) begin
          if (is_read) begin
            results_o <= results_o + 11'd1;
            state_q   <= Request;
          end else begin  // rdata_i: data of the masked write
            operand_q <= (register_response_i & ~operand_q) | (rdata_i & operand_q);
            modifies_q <= 1'b1;
            state_q <= Request;
          end
        end
      end
      default: state_q <= Idle;
    endcase
    if (access_done) begin
      address_q <= address_q + 32'd4;
      count_q   <= count_q - 11'd1;
    end
    if (item_done) begin
      position_q <= next_q;
      item_o <= item_o + 16'd1;
      state_q <= First;
      if (last_item) begin
        done_o  <= 1'b1;
        state_q <= Idle;
      end
    end
    if (rst_i) begin
      state_q <= Idle;
      done_o  <= 1'b0;
    end
  end

  `BOMBUS_ASSERT(AccessesAreLeft, !access_done || count_q != '0)
  `BOMBUS_ASSERT(ResultsFit, state_q == Idle || 32'(results_o) <= MaxResultWords)

endmodule
