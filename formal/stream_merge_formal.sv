// SPDX-License-Identifier: Apache-2.0
// stream_merge with round_robin: only offered beats leave, messages are contiguous, and an input
// waits for at most one message of each other input. Proved for all time, by induction.
module stream_merge_formal #(
    parameter int unsigned NumInputs = 3
) (
    input logic clk_i,
    input logic rst_i,
    input logic [NumInputs-1:0] last_i,
    input logic [NumInputs-1:0][1:0] data_i,
    input logic [NumInputs-1:0] valid_i,
    input logic [NumInputs-1:0] out_ready_i,  // by input
    input logic [$clog2(NumInputs)-1:0] watched_i  // any input, constant
);

  typedef struct packed {
    logic last;
    logic [1:0] data;
  } beat_t;

  beat_t [NumInputs-1:0] in;
  beat_t out;
  logic [NumInputs-1:0] in_ready, selected;
  logic out_valid;
  for (genvar i = 0; i < NumInputs; i++) begin : gen_input
    assign in[i] = '{last: last_i[i], data: data_i[i]};
  end

  stream_merge #(
      .beat_t(beat_t),
      .NumInputs(NumInputs)
  ) u_merge (
      .clk_i,
      .rst_i,
      .in_i(in),
      .in_valid_i(valid_i),
      .in_ready_o(in_ready),
      .out_o(out),
      .out_valid_o(out_valid),
      .out_ready_i,
      .selected_o(selected)
  );

  // ---- Assumption: an input's offer is stable until it is taken ----

  logic started_q = 1'b0;
  logic [NumInputs-1:0] waiting_q;
  beat_t [NumInputs-1:0] in_q;
  logic [$clog2(NumInputs)-1:0] watched_q;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    waiting_q <= rst_i ? '0 : valid_i & ~in_ready;
    in_q <= in;
    watched_q <= watched_i;
  end
  always_comb begin
    if (~started_q) assume (rst_i);
    assume (watched_i < NumInputs);
    if (started_q) begin
      assume (watched_i == watched_q);
      for (int unsigned i = 0; i < NumInputs; i++) begin
        if (waiting_q[i]) assume (valid_i[i] & (in[i] == in_q[i]));
      end
    end
  end

  // ---- Output properties ----

  wire taken = out_valid & |(out_ready_i & selected);
  logic inside_q;  // inside a message
  logic [NumInputs-1:0] owner_q;
  logic stalled_q;
  beat_t out_q;
  logic [NumInputs-1:0] selected_q;
  logic [$clog2(NumInputs+1)-1:0] overtaken_q;  // messages of others while watched_i waits
  wire watched_waits = valid_i[watched_i] & ~selected[watched_i];

  always_ff @(posedge clk_i) begin
    stalled_q <= ~rst_i & out_valid & ~taken;
    out_q <= out;
    selected_q <= selected;
    if (taken) owner_q <= selected;
    if (rst_i) begin
      inside_q <= 1'b0;
      overtaken_q <= '0;
    end else begin
      if (taken) inside_q <= ~out.last;
      if (~watched_waits) overtaken_q <= '0;
      else if (taken & out.last) overtaken_q <= overtaken_q + 1'b1;
    end
  end

  always_comb begin
    if (started_q & ~rst_i) begin
      assert ($onehot(selected));
      assert ((in_ready & valid_i) == (out_ready_i & selected & valid_i));
      if (out_valid) assert (|(selected & valid_i));
      if (|valid_i & ~inside_q) assert (out_valid);  // no idle cycle
      for (int unsigned i = 0; i < NumInputs; i++) begin
        if (out_valid & selected[i]) assert (out == in[i]);
      end
      if (inside_q) assert (selected == owner_q);
      if (stalled_q) assert (out_valid & (out == out_q) & (selected == selected_q));
      assert (overtaken_q < NumInputs);
    end
  end

  // ---- For the induction: distance of the watched input from its turn ----

  logic [$clog2(NumInputs)-1:0] last_winner;
  assign last_winner = u_merge.gen_merge.sel_q;
  always_comb begin
    if (started_q) begin
      assert (last_winner < NumInputs);
      if (inside_q | stalled_q) assert (u_merge.gen_merge.locked_q);
      if (u_merge.gen_merge.locked_q) assert (inside_q | stalled_q);
      if (inside_q) assert (owner_q[last_winner]);
      if (stalled_q) assert (selected_q[last_winner]);
      // Each message of another input brings the turn at least one step nearer.
      if (overtaken_q != '0) begin
        assert (32'(overtaken_q) + (32'(watched_i) + NumInputs - 32'(last_winner) - 1) % NumInputs
                + 32'(u_merge.gen_merge.locked_q) < NumInputs);
        assert (last_winner != watched_i);
      end
    end
  end

  always_comb if (started_q) cover (overtaken_q == NumInputs - 1);

endmodule
