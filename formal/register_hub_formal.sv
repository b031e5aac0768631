// SPDX-License-Identifier: Apache-2.0
// register_hub: each request that it takes is sent once, unchanged and in order, to the target of
// its address; each read has one response, with the target's data, for the master that requested
// it; no master waits for more than one request of each other. Proved for all time, by induction.
module register_hub_formal #(
    parameter  int unsigned NumMasters = 2,
    localparam int unsigned NumTargets = 3,
    localparam int unsigned WindowBits = 4
) (
    input logic clk_i,
    input logic rst_i,
    input bombus_pkg::register_request_t [NumMasters-1:0] request_i,
    input logic [NumMasters-1:0] request_valid_i,
    input logic [NumMasters-1:0] response_ready_i,
    input logic [NumTargets-1:0] target_ready_i,
    input logic [NumTargets-1:0][31:0] target_rdata_i,
    input logic [$clog2(NumMasters)-1:0] watched_i  // any master, constant
);

  logic [NumMasters-1:0] request_ready, response_valid;
  logic [31:0] response;
  logic [NumTargets-1:0] target_valid;
  logic target_write, busy;
  logic [WindowBits-1:0] target_addr;
  logic [31:0] target_wdata;

  register_hub #(
      .NumMasters(NumMasters),
      .NumTargets(NumTargets),
      .WindowBits(WindowBits)
  ) u_hub (
      .clk_i,
      .rst_i,
      .request_i,
      .request_valid_i,
      .request_ready_o(request_ready),
      .response_o(response),
      .response_valid_o(response_valid),
      .response_ready_i,
      .target_valid_o(target_valid),
      .target_write_o(target_write),
      .target_addr_o(target_addr),
      .target_wdata_o(target_wdata),
      .target_ready_i,
      .target_rdata_i,
      .busy_o(busy)
  );

  // ---- Reference: the request that was taken last, the one that was sent last, a read ----

  logic started_q = 1'b0;
  logic [$clog2(NumMasters)-1:0] watched_q;

  wire [NumMasters-1:0] taken = request_valid_i & request_ready;
  bombus_pkg::register_request_t taken_request;
  always_comb begin
    taken_request = '0;
    for (int unsigned m = 0; m < NumMasters; m++) begin
      if (taken[m]) taken_request = request_i[m];
    end
  end

  logic reserved_q;  // the request that was taken last has `more`
  logic [NumMasters-1:0] last_taken_q;  // its master
  wire [NumMasters-1:0] may_win = reserved_q ? last_taken_q : '1;

  logic held_valid_q;  // a request was taken, and is not sent yet
  bombus_pkg::register_request_t held_q;
  logic sent_valid_q;  // a request was sent, and has no response yet
  logic sent_write_q;
  logic [NumTargets-1:0] sent_target_q;  // none: its address is beyond the last target
  logic reading_q;  // a read was taken, and its response was not
  logic [NumMasters-1:0] reader_q;
  logic due_q;  // its response is due
  logic [31:0] data_q;

  logic [NumTargets-1:0] held_target;
  logic [31:0] rdata;
  always_comb begin
    rdata = '0;
    for (int unsigned t = 0; t < NumTargets; t++) begin
      held_target[t] = held_q.address >= 2 ** WindowBits * t
          && held_q.address < 2 ** WindowBits * (t + 1);
      if (target_ready_i[t]) rdata = target_rdata_i[t];
    end
  end
  wire responds = sent_valid_q & (|target_ready_i | sent_target_q == '0);
  wire sends = held_valid_q & (~sent_valid_q | responds);
  wire has_room = (~held_valid_q | sends) & ~reading_q;
  wire finishes = due_q & |(reader_q & response_ready_i);

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    watched_q <= watched_i;
    if (rst_i) begin
      held_valid_q <= 1'b0;
      sent_valid_q <= 1'b0;
      reading_q <= 1'b0;
      due_q <= 1'b0;
      reserved_q <= 1'b0;
    end else begin
      if (|taken) reserved_q <= taken_request.more;
      held_valid_q <= |taken | held_valid_q & ~sends;
      sent_valid_q <= sends | sent_valid_q & ~responds;
      reading_q <= |taken & ~taken_request.write | reading_q & ~finishes;
      due_q <= responds & ~sent_write_q | due_q & ~finishes;
    end
    if (|taken) begin
      last_taken_q <= taken;
      held_q <= taken_request;
      if (~taken_request.write) reader_q <= taken;
    end
    if (sends) begin
      sent_write_q  <= held_q.write;
      sent_target_q <= held_target;
    end
    if (responds) data_q <= rdata;
  end

  // ---- Assumptions: targets respond to requests, with zeros otherwise ----

  always_comb begin
    if (~started_q) assume (rst_i);
    assume (watched_i < NumMasters);
    if (started_q) assume (watched_i == watched_q);
    if (started_q) assume ((target_ready_i & ~(sent_target_q &{NumTargets{sent_valid_q}})) == '0);
    for (int unsigned t = 0; t < NumTargets; t++) begin
      if (~target_ready_i[t]) assume (target_rdata_i[t] == '0);
    end
  end

  // ---- Requests and responses ----

  always_comb begin
    if (started_q & ~rst_i) begin
      assert ($onehot0(taken));
      // No idle cycle, unless the hub is reserved
      assert (|taken == (|(request_valid_i & may_win) & has_room));
      if (reserved_q) assert ((taken & ~last_taken_q) == '0);
      assert (target_valid == (held_target & {NumTargets{sends}}));
      if (sends) begin
        assert (target_write == held_q.write);
        assert (target_addr == held_q.address[WindowBits-1:0]);
        assert (target_wdata == held_q.wdata);
      end
      assert (response_valid == (reader_q & {NumMasters{due_q}}));
      if (due_q) assert (response == data_q);
      assert (busy == (held_valid_q | sent_valid_q));
    end
  end

  // ---- No master waits for more than one request of each other, apart from reservations ----

  logic [$clog2(NumMasters+1)-1:0] overtaken_q;  // requests of others while watched_i waits
  always_ff @(posedge clk_i) begin
    if (rst_i | ~request_valid_i[watched_i] | taken[watched_i]) overtaken_q <= '0;
    else if (|taken & ~reserved_q) overtaken_q <= overtaken_q + 1'b1;
  end
  always_comb if (started_q & ~rst_i) assert (overtaken_q < NumMasters);

  // ---- For the induction: the hub's state is that of the reference ----

  logic [$clog2(NumMasters)-1:0] last;
  assign last = u_hub.gen_masters.last_q;
  always_comb begin
    if (started_q) begin
      assert (u_hub.request_q == held_valid_q);
      assert (u_hub.open_q == sent_valid_q);
      assert (u_hub.reading_q == reading_q);
      assert (u_hub.read_q == due_q);
      if (held_valid_q) assert (u_hub.waiting_q == held_q);
      if (sent_valid_q) begin
        assert (u_hub.open_write_q == sent_write_q);
        assert ($onehot0(sent_target_q));
      end
      assert (u_hub.nowhere_q == (sent_valid_q & sent_target_q == '0));
      if (reading_q) begin
        assert ($onehot(reader_q));
        assert (u_hub.reader_q == reader_q);
        // The read is held, sent, or due.
        assert ($onehot({held_valid_q & ~held_q.write, sent_valid_q & ~sent_write_q, due_q}));
      end else begin
        assert (~due_q & ~(held_valid_q & ~held_q.write) & ~(sent_valid_q & ~sent_write_q));
      end
      if (due_q) assert (~held_valid_q & ~sent_valid_q);
      if (sent_valid_q & ~sent_write_q) assert (~held_valid_q);
      assert (last < NumMasters);
      assert (u_hub.gen_masters.reserved_q == reserved_q);
      if (reserved_q) assert (last_taken_q == NumMasters'(1) << last);
      // Each request of another master brings the turn at least one step nearer.
      if (overtaken_q != '0) begin
        assert (last != watched_i);
        assert (32'(overtaken_q) + (32'(watched_i) + NumMasters - 32'(last) - 1) % NumMasters
                < NumMasters);
      end
    end
  end

  // ---- What can happen ----

  logic wrote_q;  // a write was sent in the cycle before
  logic stalled_q;  // a response waited for its master
  always_ff @(posedge clk_i) begin
    wrote_q   <= |target_valid & target_write;
    stalled_q <= due_q & ~finishes;
  end
  always_comb begin
    if (started_q & ~rst_i) begin
      cover (overtaken_q == NumMasters - 1);
      cover (wrote_q & |target_valid & target_write);  // one per cycle
      cover (stalled_q & finishes & |data_q);
      cover (due_q & sent_target_q == '0);
      cover (reserved_q & |(request_valid_i & ~last_taken_q) & ~|taken & has_room);
    end
  end

endmodule
