// SPDX-License-Identifier: Apache-2.0
// vc_output, for any requests and any room downstream: a channel belongs to one message at a time
// from the first flit to the last; a message starts where there is room and, if the output is
// claimed, only where room was seen in the cycle before; no request waits without reason; and a
// requesting input is overtaken by at most one message of each rival. Proved for all time, by
// induction.
//
// The inputs request as vc_input does (vc_input_formal): a message starts in the channel offered
// and continues in its own, when there is room.
module vc_output_formal #(
    parameter int unsigned NumInputs   = 4,
    parameter int unsigned NumChannels = 2
) (
    input logic clk_i,
    input logic rst_i,
    input logic [NumChannels-1:0] room_i,
    input logic claim_i,
    input logic [NumInputs-1:0] request_i,
    input logic [NumInputs-1:0] continues_i,
    input logic [NumInputs-1:0] first_i,
    input logic [NumInputs-1:0] last_i,
    input logic [NumInputs-1:0][NumChannels-1:0] channel_i,
    input logic [$clog2(NumInputs)-1:0] watched_i  // any input, constant
);

  typedef logic [NumChannels-1:0] channels_t;
  typedef logic [$clog2(NumInputs)-1:0] input_t;

  channels_t start, sent;
  logic kept, is_free, is_open;
  logic [NumInputs-1:0] grant;
  input_t select;
  vc_output #(
      .NumInputs  (NumInputs),
      .NumChannels(NumChannels)
  ) u_output (
      .clk_i,
      .rst_i,
      .room_i,
      .claim_i,
      .free_o  (is_free),
      .open_o  (is_open),
      .start_o (start),
      .request_i,
      .continues_i,
      .first_i,
      .last_i,
      .channel_i,
      .grant_o (grant),
      .sent_o  (sent),
      .select_o(select),
      .kept_o  (kept)
  );

  // ---- Observed history ----

  logic started_q = 1'b0;
  input_t winner, winner_q;
  logic   [NumChannels-1:0] taken_q;  // channels inside a message
  input_t [NumChannels-1:0] owner_q;  // input of that message
  channels_t granted, granted_q;  // channel of the flit granted
  channels_t free, closed_q;  // closed: claimed and not free in the last cycle
  logic continued_q;  // a flit was granted that did not end its message
  wire  starts = |(grant & first_i);
  wire  ends = |(grant & last_i);

  always_comb begin
    winner  = '0;
    granted = '0;
    for (int unsigned k = 0; k < NumInputs; k++) begin
      if (grant[k]) begin
        winner  = input_t'(k);
        granted = first_i[k] ? start : channel_i[k];
      end
    end
  end

  assign free = room_i & ~taken_q;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    closed_q  <= claim_i & ~rst_i ? ~free : '0;
    if (|grant) winner_q <= winner;
    if (rst_i) begin
      taken_q <= '0;
      granted_q <= '0;
      continued_q <= 1'b0;
    end else begin
      granted_q   <= granted;
      continued_q <= |grant & ~ends;
      for (int unsigned c = 0; c < NumChannels; c++) begin
        if (granted[c]) begin
          taken_q[c] <= ~ends;
          owner_q[c] <= winner;
        end
      end
    end
  end

  always_comb begin
    if (~started_q) assume (rst_i);
    for (int unsigned k = 0; k < NumInputs; k++) begin
      if (request_i[k] & first_i[k]) assume (is_open);
      // Only the message that sent a flit in the last cycle and has not ended continues.
      if (request_i[k] & continues_i[k]) begin
        assume (continued_q && winner_q == input_t'(k) && ~first_i[k]);
      end
      if (request_i[k] & ~first_i[k]) begin
        assume ($onehot(channel_i[k]) && (channel_i[k] & ~(room_i & taken_q)) == '0);
        for (int unsigned c = 0; c < NumChannels; c++) begin
          if (channel_i[k][c]) assume (32'(owner_q[c]) == k);
        end
      end
    end
  end

  always_comb begin
    if (started_q & ~rst_i) begin
      assert ($onehot0(grant));
      assert ((grant & ~request_i) == '0);
      assert ((|grant) == (|request_i));
      // Never into a channel without room, or into one that another message holds.
      assert (is_free == |free && is_open == |(free & ~closed_q));
      assert ($onehot0(start) && (start & ~(free & ~closed_q)) == '0);
      assert (is_open == |start);
      assert ($onehot0(granted) && (granted & ~room_i) == '0);
      if (starts) assert ((granted & taken_q) == '0);
      for (int unsigned c = 0; c < NumChannels; c++) begin
        if (granted[c] & taken_q[c]) assert (winner == owner_q[c]);
      end
      assert (sent == granted_q);
      if (|sent) assert (select == winner_q);
      assert (kept == continued_q);
      if (|(request_i & continues_i)) assert (grant == (request_i & continues_i));
    end
  end

  // ---- For the induction ----

  always_comb begin
    if (started_q) begin
      assert (u_output.held_q == taken_q);
      assert (u_output.closed_q == closed_q);
      assert (u_output.sent_o == granted_q);
      if (|granted_q) assert (select == winner_q);
      assert (kept == continued_q);
    end
  end

  bounded_overtaking #(
      .NumInputs(NumInputs)
  ) u_overtaking (
      .clk_i,
      .rst_i,
      .started_i(started_q),
      .watched_i,
      .waits_i  (request_i[watched_i]),
      .starts_i (starts ? grant : '0),
      .before_i (u_output.u_order.before_o)
  );

  // Cover: all channels are taken and continue.
  always_comb if (started_q & ~rst_i) cover (&taken_q & |granted & ~ends);

endmodule
