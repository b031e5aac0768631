// SPDX-License-Identifier: Apache-2.0
// Merges streams round robin, message by message: an input holds the output from its first beat to
// its last.
//
// in_ready_o[n] does not depend on in_valid_i[n].
//
// Latency: 0 cycles. Throughput: one beat per cycle, no gap between messages.
module stream_merge #(
    parameter type beat_t = logic,
    parameter int unsigned NumInputs = 2
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t [NumInputs-1:0] in_i,
    input  logic  [NumInputs-1:0] in_valid_i,
    output logic  [NumInputs-1:0] in_ready_o,

    output beat_t out_o,
    output logic out_valid_o,
    input logic [NumInputs-1:0] out_ready_i,  // by input: its beat is taken if it is on out_o

    output logic [NumInputs-1:0] selected_o  // input whose beat is on out_o, one-hot; zero if none has one
);

  if (NumInputs < 1) begin : gen_bad_inputs
    $error("stream_merge: NumInputs must be at least 1");
  end

  if (NumInputs == 1) begin : gen_wire
    assign out_o = in_i[0];
    assign out_valid_o = in_valid_i[0];
    assign in_ready_o[0] = out_ready_i[0];
    assign selected_o = 1'b1;
    wire unused = clk_i ^ rst_i;
  end else begin : gen_merge
    typedef logic [NumInputs-1:0] inputs_t;
    logic locked_q;
    inputs_t owner_q;  // input of the last message, one-hot
    inputs_t [NumInputs-1:0] before_q;  // [n][m]: input m goes before input n
    inputs_t wins;  // not blocked by another input, whether it requests or not

    // The turns after a message of an input. One-hot and from registers: grant and selection are
    // two levels of logic each for up to five inputs.
    function automatic inputs_t [NumInputs-1:0] turns(inputs_t owner);
      turns = '0;
      for (int unsigned n = 0; n < NumInputs; n++) begin
        for (int unsigned m = 0; m < NumInputs; m++) begin
          for (int unsigned last = 0; last < NumInputs; last++) begin
            if ((m + NumInputs - last - 1) % NumInputs < (n + NumInputs - last - 1) % NumInputs)
              turns[n][m] |= owner[last];
          end
        end
      end
    endfunction

    for (genvar n = 0; n < NumInputs; n++) begin : gen_input
      assign wins[n] = ~|(in_valid_i & before_q[n]);
      assign selected_o[n] = locked_q ? owner_q[n] : in_valid_i[n] & wins[n];
      assign in_ready_o[n] = out_ready_i[n] & (locked_q ? owner_q[n] : wins[n]);
    end
    assign out_valid_o = |(in_valid_i & (locked_q ? owner_q : '1));

    logic ends;  // the message's last beat is taken
    always_comb begin
      out_o = '0;
      ends  = 1'b0;
      for (int unsigned n = 0; n < NumInputs; n++) begin
        out_o |= in_i[n] & {$bits(beat_t) {selected_o[n]}};
        ends |= selected_o[n] & out_ready_i[n] & in_i[n].last;
      end
    end

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        locked_q <= 1'b0;
        owner_q  <= inputs_t'(1);
        before_q <= turns(inputs_t'(1));
      end else if (out_valid_o) begin
        locked_q <= ~ends;
        owner_q  <= selected_o;
        before_q <= turns(selected_o);
      end
    end
  end

endmodule
