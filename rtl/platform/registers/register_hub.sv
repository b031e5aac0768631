// SPDX-License-Identifier: Apache-2.0
// Carries the register requests of several masters to the register blocks of a design, and the
// data of each read back to the master that requested it.
//
// Requests: a stream per master. Masters take turns (round robin), one request per cycle. Accesses
// take effect in the order in which the hub takes them. Writes are posted: they have no response. A
// read has one, with its data. While it is pending, the hub takes no request of any master, so a
// master may offer its read until the response arrives, and may withdraw an offer. A master takes
// its response without waiting for another access.
//
// A request with `more` reserves the hub: the next one is of the same master, so that no access of
// another one is between the words of one register, or between a read and the write that follows
// from it. Its master offers that request whatever other masters do, before the hub has been ready
// for it for 1,024 cycles; meanwhile the hub takes none of another master.
//
// Targets: target t has the addresses t * 2^WindowBits up to (t + 1) * 2^WindowBits - 1. It
// responds to each request, read or write, in the next cycle or later, within 2^20 cycles whatever
// its layers wait for, and is sent another request in the cycle of its response at the earliest. So
// no access waits for messages of a data path. Addresses beyond the last target read as zero, and
// writes to them have no effect.
//
// Latency: a request is sent to its target in the cycle after it was taken, if the request before
// has its response by then; a read's data are valid in the cycle after the target's response.
// Throughput: a write per cycle to targets that respond in the next cycle.
//
// response_o is valid, and constant, while a bit of response_valid_o is set. Otherwise its value
// has no meaning. busy_o covers requests until their target responds; a response that waits for its
// master is not counted, since that master is busy until it has taken it.
`include "bombus_assert.svh"

module register_hub #(
    parameter int unsigned NumMasters = 1,
    parameter int unsigned NumTargets = 2,
    parameter int unsigned WindowBits = 12
) (
    input logic clk_i,
    input logic rst_i,

    input bombus_pkg::register_request_t [NumMasters-1:0] request_i,
    input logic [NumMasters-1:0] request_valid_i,
    output logic [NumMasters-1:0] request_ready_o,

    output logic [31:0] response_o,  // for the master whose response is valid
    output logic [NumMasters-1:0] response_valid_o,
    input logic [NumMasters-1:0] response_ready_i,

    output logic [NumTargets-1:0] target_valid_o,  // one cycle per request
    output logic target_write_o,
    output logic [WindowBits-1:0] target_addr_o,  // in the target's window
    output logic [31:0] target_wdata_o,
    input logic [NumTargets-1:0] target_ready_i,  // one cycle per response
    input logic [NumTargets-1:0][31:0] target_rdata_i,  // zero unless ready

    output logic busy_o  // a request has not been sent, or its target has not responded
);

  if (NumMasters < 1 || NumTargets < 1 || WindowBits < 2 || WindowBits > 31) begin : gen_bad_shape
    $error("register_hub: needs a master, a target, and a window of 4 bytes to 2 GiB");
  end

  // The request that is taken next
  bombus_pkg::register_request_t request;
  logic [NumMasters-1:0] wins;  // bit m: master m's request is taken if it offers one
  logic accepts, takes;
  if (NumMasters == 1) begin : gen_master
    assign request = request_i[0];
    assign wins = 1'b1;
  end else begin : gen_masters
    logic [$clog2(NumMasters)-1:0] last_q, next, grant;
    logic [NumMasters-1:0] next_wins;
    logic reserved_q;  // for the master that was granted last
    round_robin #(
        .NumInputs(NumMasters)
    ) u_round_robin (
        .last_i(last_q),
        .request_i(request_valid_i),
        .grant_o(next),
        .wins_o(next_wins)
    );
    assign grant = reserved_q ? last_q : next;
    assign wins = reserved_q ? NumMasters'(1) << last_q : next_wins;
    assign request = request_i[grant];
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        last_q <= '0;
        reserved_q <= 1'b0;
      end else if (takes) begin
        last_q <= grant;
        reserved_q <= request.more;
      end
    end
`ifndef SYNTHESIS
    int unsigned unused_q;  // cycles in which the hub was ready for the reserved request
    always_ff @(posedge clk_i) begin
      if (rst_i | ~reserved_q | takes) unused_q <= 0;
      else if (accepts) unused_q <= unused_q + 1;
    end
`endif
    `BOMBUS_ASSERT(ReservationIsUsed, unused_q != 1024)  // once
  end

  logic request_q;  // a request waits for its turn at a target
  bombus_pkg::register_request_t waiting_q;
  logic open_q;  // a request was sent to a target, which has not responded
  logic open_write_q;
  logic nowhere_q;  // its address is beyond the last target
  logic reading_q;  // a read is pending
  logic [NumMasters-1:0] reader_q;  // the master that requested it
  logic read_q;  // its data are valid

  wire responds = |target_ready_i | nowhere_q;
  wire passes = request_q & (~open_q | responds);
  wire has_room = (~request_q | passes) & ~rst_i;
  wire finished = read_q & |(reader_q & response_ready_i);
  assign accepts = has_room & ~reading_q;
  assign takes = accepts & |(wins & request_valid_i);
  assign request_ready_o = wins & {NumMasters{accepts}};
  assign response_valid_o = reader_q & {NumMasters{read_q}};
  assign busy_o = request_q | open_q;

  assign target_write_o = waiting_q.write;
  assign target_addr_o = waiting_q.address[WindowBits-1:0];
  assign target_wdata_o = waiting_q.wdata;
  logic [31:0] rdata;
  always_comb begin
    rdata = '0;
    for (int unsigned t = 0; t < NumTargets; t++) begin
      target_valid_o[t] = passes & (waiting_q.address[31:WindowBits] == (32 - WindowBits)'(t));
      rdata |= target_rdata_i[t];
    end
  end

  always_ff @(posedge clk_i) begin
    if (has_room) waiting_q <= request;
    if (passes) open_write_q <= waiting_q.write;
    if (~read_q) response_o <= rdata;
    if (rst_i) begin
      request_q <= 1'b0;
      open_q    <= 1'b0;
      nowhere_q <= 1'b0;
      reading_q <= 1'b0;
      read_q    <= 1'b0;
    end else begin
      request_q <= takes | (request_q & ~passes);
      open_q    <= passes | (open_q & ~responds);
      nowhere_q <= passes & (target_valid_o == '0);
      reading_q <= (takes & ~request.write) | (reading_q & ~finished);
      read_q    <= (open_q & responds & ~open_write_q) | (read_q & ~finished);
    end
  end
  if (NumMasters == 1) begin : gen_reader
    assign reader_q = 1'b1;
  end else begin : gen_readers
    always_ff @(posedge clk_i) begin
      if (~reading_q) reader_q <= wins & request_valid_i;
    end
  end

`ifndef SYNTHESIS
  int unsigned open_cycles_q;  // of the open request
  always_ff @(posedge clk_i) open_cycles_q <= rst_i | ~open_q | responds ? 0 : open_cycles_q + 1;
`endif
  `BOMBUS_ASSERT(TargetResponds, open_cycles_q != 1 << 20)  // once
  `BOMBUS_ASSERT(GrantsOneMaster, $onehot0(request_valid_i & request_ready_o))
  `BOMBUS_ASSERT(RespondsToOneMaster, $onehot0(response_valid_o))
  `BOMBUS_ASSERT(SendsToOneTarget, $onehot0(target_valid_o))
  // At most one request is outstanding: a target responds to the request that was sent last.
  `BOMBUS_ASSERT(ResponseToRequest, !(|target_ready_i) || (open_q && !nowhere_q))
  `BOMBUS_ASSERT(OneRequestOutstanding, !(|target_valid_o) || !open_q || responds)
  `BOMBUS_ASSERT(ResponseOnlyToRead, !read_q || (reading_q && !request_q && !open_q))

endmodule
