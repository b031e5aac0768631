// SPDX-License-Identifier: Apache-2.0
// Prepends a header of HeaderBytes to every message.
//
// The shift is wiring only; the outputs are combinational, for the layer to register. header_i must
// be valid and stable while the first input beat waits. Metadata is unchanged. With skip_i, stable
// for the whole message, the message is forwarded without a header.
//
// Latency: 0 cycles. Throughput: one output beat per cycle, no gap between messages.
`include "bombus_assert.svh"

module prepend #(
    parameter type beat_t = logic,
    parameter int unsigned HeaderBytes = 14
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t                     in_i,
    input  logic                      in_valid_i,
    output logic                      in_ready_o,
    input  logic  [HeaderBytes*8-1:0] header_i,
    input  logic                      skip_i,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,
    output logic  out_first_o
);

  if (HeaderBytes < 1) begin : gen_bad_header
    $error("prepend: HeaderBytes must be at least 1");
  end

  localparam int unsigned DataBytes = $bits(in_i.data) / 8;
  localparam int unsigned CountWidth = $bits(in_i.bytes);
  localparam int unsigned HeaderBeats = HeaderBytes / DataBytes;  // beats with only header bytes
  localparam int unsigned Shift = HeaderBytes % DataBytes;
  typedef logic [CountWidth-1:0] count_t;

  logic first;  // the input beat is the first of its message
  logic leading;  // a beat with only header bytes is being sent
  logic absorb;  // the last header beat of a message without payload
  logic flush_q;  // bytes of a message remain after its last input beat
  logic [DataBytes*8-1:0] leading_data;

  if (HeaderBeats == 0) begin : gen_no_beats
    assign leading = 1'b0;
    assign absorb = 1'b0;
    assign leading_data = '0;
    assign out_first_o = first & ~flush_q;
  end else begin : gen_beats
    typedef logic [$clog2(HeaderBeats+1)-1:0] index_t;
    index_t index_q;  // header beats sent
    logic led_q;  // all header beats have been sent
    wire [HeaderBeats-1:0][DataBytes*8-1:0] beats = header_i[HeaderBeats*DataBytes*8-1:0];
    assign leading = first & ~flush_q & ~skip_i & ~led_q;
    assign absorb = (Shift == 0) & leading & (index_q == index_t'(HeaderBeats - 1)) & in_i.last &
        (in_i.bytes == '0);
    assign out_first_o = first & ~flush_q & (index_q == '0);
    always_comb begin
      leading_data = beats[0];
      for (int unsigned b = 1; b < HeaderBeats; b++) begin
        if (index_q == index_t'(b)) leading_data = beats[b];
      end
    end
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        index_q <= '0;
        led_q   <= 1'b0;
      end else if (out_valid_o & out_ready_i) begin
        index_q <= (leading & ~absorb) ? index_q + 1'b1 : '0;
        led_q   <= leading & ~absorb & (index_q == index_t'(HeaderBeats - 1));
      end
    end

    `BOMBUS_ASSERT(LedIsWhole, !led_q || index_q == index_t'(HeaderBeats))
  end

  assign out_valid_o = flush_q | in_valid_i;
  assign in_ready_o  = out_ready_i & ~flush_q & (~leading | absorb);

  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(in_valid_i & in_ready_o),
      .last_i (in_i.last),
      .first_o(first)
  );

  if (Shift == 0) begin : gen_no_shift
    assign flush_q = 1'b0;
    always_comb begin
      out_o = in_i;
      if (leading) begin
        out_o.data  = leading_data;
        out_o.bytes = count_t'(DataBytes);
        out_o.last  = absorb;
      end
    end
  end else begin : gen_shift
    logic [Shift*8-1:0] held_q;  // upper bytes of the previous input beat
    count_t held_bytes_q;

    wire [Shift*8-1:0] front = first ? header_i[HeaderBytes*8-1-:Shift*8] : held_q;
    wire spills = in_i.last & (in_i.bytes > count_t'(DataBytes - Shift)) & ~skip_i;

    always_comb begin
      out_o = in_i;
      if (flush_q) begin
        out_o.data  = {{((DataBytes - Shift) * 8) {1'b0}}, held_q};
        out_o.bytes = held_bytes_q;
        out_o.last  = 1'b1;
      end else if (leading) begin
        out_o.data  = leading_data;
        out_o.bytes = count_t'(DataBytes);
        out_o.last  = 1'b0;
      end else if (skip_i) begin
        out_o = in_i;
      end else begin
        out_o.data  = {in_i.data[(DataBytes-Shift)*8-1:0], front};
        out_o.bytes = in_i.bytes + count_t'(Shift);
        out_o.last  = in_i.last & ~spills;
      end
    end

    always_ff @(posedge clk_i) begin
      if (in_valid_i & in_ready_o) begin
        held_q <= in_i.data[DataBytes*8-1-:Shift*8];
        held_bytes_q <= in_i.bytes - count_t'(DataBytes - Shift);
      end
    end
    always_ff @(posedge clk_i) begin
      if (rst_i) flush_q <= 1'b0;
      else if (flush_q) flush_q <= ~out_ready_i;
      else if (in_valid_i & in_ready_o) flush_q <= spills;
    end

    `BOMBUS_ASSERT(FlushesBytes, !flush_q || held_bytes_q inside {[1 : Shift]})
  end

endmodule
