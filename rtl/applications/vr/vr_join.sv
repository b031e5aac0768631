// SPDX-License-Identifier: Apache-2.0
// Joins the fragments of a message (docs/applications/vr/wire.md), and passes other messages on.
//
// It holds one incomplete message, of up to 64 * Lines bytes, and takes its fragments in order
// only. A fragment at 0 begins a message. One that does not continue the message (of another
// sender, id, length or start), has no data, or ends after the message is dropped, and with it what
// was held. The last fragment becomes the message, with its metadata.
//
// The bytes of a beat have all moved by the same distance at their places in the lines of the
// message: a rotation by 16, 4 and 1 bytes, one step in a cycle.
//
// Latency: none for other messages. A fragment takes up to 13 cycles per beat, and then a joined
// message 2 per beat. Only for beats of 512 bits.
module vr_join
  import bombus_pkg::*;
  import vr_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned Lines = 256  // of 64 bytes; a power of two, up to 256
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,

    output logic drop_o,   // a fragment is dropped
    output logic store_o,  // a fragment is held until the rest of its message arrives
    output logic busy_o
);

  localparam int unsigned AddrBits = $clog2(Lines);
  localparam int unsigned LengthBits = $bits(length_t);
  typedef logic [AddrBits-1:0] addr_t;
  typedef logic [LineBytes-1:0][7:0] bytes_t;

  typedef enum logic [3:0] {
    StIdle,
    StJudge,
    StRotate,
    StFill,  // the line that was begun
    StCarry,  // the next one
    StEnd,  // of a fragment
    StNext,  // waits for its next beat
    StDiscard,
    StRead,
    StSend
  } state_t;
  state_t state_q;

  // ---- The fragment ----

  wire is_fragment = in_i.data[31:0] == FragmentMagic;
  wire [63:0] id = in_i.data[32+:64];
  wire [63:0] start = in_i.data[96+:64];
  wire [63:0] total = in_i.data[160+:64];
  packet_meta_t meta, meta_q;
  assign meta = packet_meta_t'(in_i.meta);

  logic inside_q;  // another message passes
  logic held_q;  // a part of a message is held
  logic same_q;  // sender, id and length are those of the message that is held
  logic wide_q;  // start or length is too large
  logic last_q;  // the beat ends it
  logic [63:0] id_q;
  length_t start_q, total_q, data_q, have_q;  // data: bytes of the fragment; have: bytes held
  logic [6:0] bytes_q;  // of the beat

  wire begins = (state_q == StIdle) & in_valid_i & ~inside_q & is_fragment;
  wire continues = (state_q == StNext) & in_valid_i;
  wire [LengthBits:0] fragment_end = {1'b0, start_q} + {1'b0, data_q};
  wire is_good = ~wide_q & (fragment_end <= {1'b0, total_q}) &
      ((start_q == '0) | (same_q & (start_q == have_q)));

  // ---- Lines ----

  bytes_t beat_q, line_q, sent;
  logic [5:0] distance_q;  // of the rotation that is left
  addr_t addr_q;
  wire [5:0] place = have_q[5:0];  // of the next byte in its line
  wire [6:0] after = {1'b0, place} + bytes_q;
  wire writes = (state_q == StCarry) | ((state_q == StEnd) & (place != '0));
  sized_memory #(
      .data_t(bytes_t),
      .Depth (Lines)
  ) u_memory (
      .clk_i,
      .write_addr_i(addr_q),
      .data_i(line_q),
      .write_i(writes),
      .read_addr_i(addr_q),
      .data_o(sent)
  );
  wire bytes_t loaded = bytes_t'(in_i.data);
  always_ff @(posedge clk_i) begin
    // Bytes before the data are zero, as those after them.
    if (begins | continues) begin
      beat_q <= loaded;
      if (begins) beat_q[FragmentBytes-1:0] <= '0;
    end else if (state_q == StRotate) begin
      if (|distance_q[5:4]) beat_q <= {beat_q[47:0], beat_q[63:48]};
      else if (|distance_q[3:2]) beat_q <= {beat_q[59:0], beat_q[63:60]};
      else if (|distance_q[1:0]) beat_q <= {beat_q[62:0], beat_q[63]};
    end
    for (int unsigned b = 0; b < LineBytes; b++) begin
      if (state_q == StFill && 6'(b) >= place) line_q[b] <= beat_q[b];
      if (state_q == StCarry) line_q[b] <= 6'(b) < place ? beat_q[b] : '0;
    end
  end

  // ---- Control ----

  wire ends_line = after >= 7'd64;
  wire is_whole = have_q == total_q;
  wire sends = state_q == StSend;
  wire addr_t last_line = addr_t'((total_q - 1'b1) >> 6);
  wire is_last = addr_q == last_line;
  always_ff @(posedge clk_i) begin
    if (begins) begin
      id_q <= id;
      start_q <= length_t'(start);
      total_q <= length_t'(total);
      data_q <= in_i.length - length_t'(FragmentBytes);
      meta_q <= meta;
      wide_q  <= |start[63:LengthBits] | (total > 64'(LineBytes * Lines)) | |total[63:LengthBits] |
          (in_i.length <= length_t'(FragmentBytes));
      same_q <= held_q & (id == id_q) & (total == 64'(total_q)) & (meta.ip == meta_q.ip) &
          (meta.l4.ports.src_port == meta_q.l4.ports.src_port);
    end
    if (begins | continues) begin
      last_q  <= in_i.last;
      bytes_q <= (in_i.last ? in_i.bytes : 7'd64) - (begins ? 7'(FragmentBytes) : '0);
    end
    unique case (state_q)
      StIdle: begin
        if (begins) state_q <= StJudge;
        else if (in_valid_i & in_ready_o) inside_q <= ~in_i.last;
      end
      StJudge: begin
        held_q <= is_good;
        have_q <= start_q;
        addr_q <= addr_t'(start_q >> 6);
        distance_q <= start_q[5:0] - 6'(FragmentBytes);
        if (is_good) state_q <= StRotate;
        else state_q <= last_q ? StIdle : StDiscard;
      end
      StRotate: begin
        if (|distance_q[5:4]) distance_q[5:4] <= distance_q[5:4] - 1'b1;
        else if (|distance_q[3:2]) distance_q[3:2] <= distance_q[3:2] - 1'b1;
        else if (|distance_q[1:0]) distance_q[1:0] <= distance_q[1:0] - 1'b1;
        else state_q <= StFill;
      end
      StFill: begin
        if (ends_line) state_q <= StCarry;
        else begin
          have_q  <= have_q + length_t'(bytes_q);
          state_q <= last_q ? StEnd : StNext;
        end
      end
      StCarry: begin
        addr_q  <= addr_q + 1'b1;
        have_q  <= have_q + length_t'(bytes_q);
        state_q <= last_q ? StEnd : StNext;
      end
      StEnd: begin
        addr_q  <= '0;
        held_q  <= ~is_whole;
        state_q <= is_whole ? StRead : StIdle;
      end
      StNext: begin
        distance_q <= start_q[5:0] - 6'(FragmentBytes);
        if (in_valid_i) state_q <= StRotate;
      end
      StDiscard: if (in_valid_i & in_i.last) state_q <= StIdle;
      StRead: state_q <= StSend;
      default: begin  // StSend
        if (out_ready_i) begin
          addr_q  <= addr_q + 1'b1;
          state_q <= is_last ? StIdle : StRead;
        end
      end
    endcase
    if (rst_i) begin
      state_q  <= StIdle;
      inside_q <= 1'b0;
      held_q   <= 1'b0;
    end
  end

  assign drop_o  = (state_q == StJudge) & ~is_good;
  assign store_o = (state_q == StEnd) & ~is_whole;
  assign busy_o  = state_q != StIdle;

  // ---- Streams ----

  wire passes = (state_q == StIdle) & (inside_q | ~is_fragment);
  assign in_ready_o  = passes ? out_ready_i : state_q inside {StIdle, StNext, StDiscard};
  assign out_valid_o = sends | (passes & in_valid_i);
  always_comb begin
    out_o = in_i;
    if (sends) begin
      out_o.kind   = '0;
      out_o.meta   = meta_q;
      out_o.length = total_q;
      out_o.data   = sent;
      out_o.last   = is_last;
      out_o.bytes  = 7'(total_q[5:0]);
      if (~is_last | (total_q[5:0] == '0)) out_o.bytes = 7'd64;
    end
  end

endmodule
