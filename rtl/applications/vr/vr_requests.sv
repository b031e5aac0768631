// SPDX-License-Identifier: Apache-2.0
// The requests of a Prepare: their fields, how many are left, and their operations.
//
// A request is opened in a cycle of walks_i: the first one when the message is decided on, with its
// fields in the first two beats, the others when their fields have been found. Those of operations
// that are in the log already are skipped.
module vr_requests
  import bombus_pkg::*;
  import vr_pkg::*;
  import vr_header_pkg::*;
  import vr_state_pkg::*;
(
    input logic clk_i,

    input st_e     st_i,
    input logic    walks_i,
    input logic    extract_i,
    input logic    has_line_i,
    input header_t header_i,
    input words_t  word_i,
    input line_t   first_i,       // beat of the message
    input line_t   second_i,
    input length_t length_i,
    input number_t last_i,        // operation of the log
    input line_t   found_i,       // fields of a further request
    input logic    found_valid_i,

    output facts_t         facts_o,    // those of the request; the others are 0
    output logic           keeps_o,    // the request that is opened is written to the log
    output count_t         lines_o,    // that it takes
    output request_t       request_o,  // that was opened
    output number_t        this_op_o,  // its operation
    output logic     [6:0] part_o      // bytes of the operation in the next line
);

  request_t request, request_q;
  function automatic request_t request_of(logic [63:0] client, logic [63:0] number,
                                          logic [63:0] bytes);
    return '{client: client, number: number, too_long: |bytes[63:14], bytes: bytes[13:0]};
  endfunction
  wire request_t first_request = request_of(
      word_i[5], swap64({second_i[39:0], first_i[511:488]}), swap64(second_i[103:40])
  );
  wire request_t found_request = request_of(
      word_at(found_i, 0), word_at(found_i, 8), word_at(found_i, 16)
  );
  logic is_first_q;
  number_t op_q;  // operation of the next request
  assign request = is_first_q ? first_request : request_q;

  length_t rest_q, left_q;  // bytes after this request, and of its operation
  logic last_part_q, has_bytes_q;  // of left_q
  logic last_request_q;
  count_t requests_q, skip_q;  // left, to skip
  logic unfit_q;  // the operation is longer than the message
  wire length_t rest = is_first_q ? length_i - length_t'(77) : rest_q;
  wire count_t skip = is_first_q ? header_i.skip : skip_q;
  wire count_t requests = is_first_q ? count_t'(word_i[4]) : requests_q;
  wire fits_message = ~request.too_long & (request.bytes <= rest);
  assign keeps_o   = skip == '0;
  assign lines_o   = count_t'((15'(request.bytes) + 15'd127) >> 6);
  assign request_o = request_q;

  always_comb begin
    facts_o = '0;
    facts_o.unfit = unfit_q;
    facts_o.last_part = last_part_q;
    facts_o.last_request = last_request_q;
    facts_o.sound = facts_o.last_request ? rest_q == '0 : rest_q >= length_t'(24);
    facts_o.has_bytes = has_bytes_q;
    facts_o.has_request = found_valid_i;
  end

  wire length_t more = left_q - length_t'(64);
  always_ff @(posedge clk_i) begin
    if (st_i == StCheck) is_first_q <= 1'b1;
    else if (walks_i) is_first_q <= 1'b0;
    if (st_i == StDecide) request_q <= first_request;
    else if (found_valid_i) request_q <= found_request;
    if (walks_i) begin
      requests_q <= requests - 1'b1;
      last_request_q <= requests == count_t'(1);
      rest_q <= rest - length_t'(request.bytes);
      left_q <= length_t'(request.bytes);
      last_part_q <= request.bytes <= 14'd64;
      has_bytes_q <= request.bytes != '0;
      unfit_q <= ~fits_message;
      part_o <= |request.bytes[13:6] ? 7'd64 : request.bytes[6:0];
      skip_q <= keeps_o ? '0 : skip - 1'b1;
      if (keeps_o) begin
        this_op_o <= op_q;
      end
    end
    if (st_i == StCheck || (walks_i && keeps_o)) begin
      op_q <= (st_i == StCheck ? last_i : op_q) + 1'b1;
    end
    if (st_i == StOp && extract_i) begin
      left_q <= more;
      last_part_q <= more <= length_t'(64);
      has_bytes_q <= more != '0;
      part_o <= |more[13:6] ? 7'd64 : more[6:0];
    end
    if (st_i == StRequest && has_line_i) rest_q <= rest_q - length_t'(24);
  end

endmodule
