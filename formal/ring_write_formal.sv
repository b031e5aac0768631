// SPDX-License-Identifier: Apache-2.0
// ring_write: byte n of a message is written to (start + n) modulo RingBytes of the message's
// session, once, unless it is skipped; a message with more bytes to write than a ring has writes
// none. Proved for all time, by induction, for legal messages of any length.
module ring_write_formal
  import tcp_pkg::*;
#(
    parameter int unsigned NumSessions = 3,
    parameter int unsigned RingBytes   = 256,
    parameter int unsigned DataBytes   = 8
) (
    input logic clk_i,
    input logic rst_i,
    input logic valid_i,
    input logic [$bits(tcp_data_meta_t)-1:0] meta_i,
    input logic [13:0] length_i,
    input logic [DataBytes*8-1:0] data_i
);

  localparam int unsigned CountWidth = $clog2(DataBytes) + 1;
  typedef struct packed {
    logic [13:0] length;
    logic last;
    logic [CountWidth-1:0] bytes;
    logic [DataBytes*8-1:0] data;
  } beat_t;

  // ---- Legal messages: all beats but the last are full; the length is correct ----

  tcp_data_meta_t meta, meta_q;
  logic first_q, started_q = 1'b0;
  logic [13:0] past_q, length_q;  // bytes of the message received; its total length
  assign meta = first_q ? tcp_data_meta_t'(meta_i) : meta_q;
  wire [13:0] length = first_q ? length_i : length_q;
  wire [13:0] past = first_q ? '0 : past_q;
  wire [13:0] left = length - past;
  beat_t beat;
  assign beat = '{
          length: length,
          last: left <= 14'(DataBytes),
          bytes: left <= 14'(DataBytes) ? CountWidth'(left) : CountWidth'(DataBytes),
          data: data_i
      };
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (valid_i) begin
      meta_q   <= meta;
      length_q <= length;
      past_q   <= past + 14'(DataBytes);
    end
    if (rst_i) first_q <= 1'b1;
    else if (valid_i) first_q <= beat.last;
  end

  logic write, bad_session, bad_length;
  logic [$clog2(NumSessions)-1:0] session;
  logic [  $clog2(RingBytes)-1:0] position;
  logic [CountWidth-1:0] from, to;
  logic [DataBytes*8-1:0] data;
  ring_write #(
      .beat_t(beat_t),
      .NumSessions(NumSessions),
      .RingBytes(RingBytes)
  ) u_write (
      .clk_i,
      .rst_i,
      .in_i(beat),
      .in_meta_i(meta),
      .in_valid_i(valid_i),
      .write_o(write),
      .write_session_o(session),
      .write_position_o(position),
      .write_first_o(from),
      .write_end_o(to),
      .write_data_o(data),
      .bad_session_o(bad_session),
      .bad_length_o(bad_length)
  );

  always_comb begin
    assume (rst_i == ~started_q);
    assume (length_i <= 14'd9600);
    if (~first_q) assume (length_q <= 14'd9600);
  end

  // ---- One cycle later ----

  typedef struct packed {
    logic valid;
    logic first;
    tcp_data_meta_t meta;
    logic [13:0] length;
    logic [13:0] past;
    beat_t beat;
  } was_t;
  was_t was_q;
  always_ff @(posedge clk_i) begin
    was_q <= '{
        valid: valid_i & ~rst_i,
        first: first_q,
        meta: meta,
        length: length,
        past: past,
        beat: beat
    };
  end
  wire known = 32'(was_q.meta.session) < NumSessions;
  wire fits = known & (32'(was_q.length) <= RingBytes + 32'(was_q.meta.skip));
  wire [13:0] end_of_beat = was_q.past + 14'(was_q.beat.bytes);
  // Any byte of the beat.
  (* anyconst *) logic [CountWidth-2:0] byte_n;
  wire [13:0] n = was_q.past + 14'(byte_n);
  wire written = write & (CountWidth'(byte_n) >= from) & (CountWidth'(byte_n) < to);
  wire [31:0] place = was_q.meta.start + 32'(n);
  wire [31:0] place_written = 32'(position) + 32'(byte_n);
  always_comb begin
    if (started_q & ~rst_i) begin
      if (was_q.valid) begin
        assert (write == fits);
        assert (bad_session == (was_q.first & ~known));
        assert (bad_length == (was_q.first & known & ~fits));
        assert (written == (fits & (n >= was_q.meta.skip) & (n < was_q.length)));
      end else begin
        assert (~write & ~bad_session & ~bad_length);
      end
      if (written) begin
        assert (32'(session) == 32'(was_q.meta.session) && 32'(session) < NumSessions);
        assert (place_written[$clog2(RingBytes)-1:0] == place[$clog2(RingBytes)-1:0]);
        assert (data == was_q.beat.data);
        // Therefore no two bytes of a message are written to the same address.
        assert (32'(end_of_beat) <= RingBytes + 32'(was_q.meta.skip));
      end
    end
  end

  // ---- Invariants between its registers and the message ----

  logic [13:0] skip_left;
  assign skip_left = meta_q.skip > past_q ? meta_q.skip - past_q : '0;
  wire [31:0] next_place = meta_q.start + 32'(past_q);
  always_comb begin
    if (started_q) begin
      assert (u_write.first == first_q | rst_i);
      if (~first_q) begin
        assert (past_q != '0 && past_q < length_q);
        assert (past_q[$clog2(DataBytes)-1:0] == '0);
        assert (u_write.skip_q == skip_left);
        assert (u_write.dropping_q == ~(32'(meta_q.session) < NumSessions &&
                32'(length_q) <= RingBytes + 32'(meta_q.skip)));
        assert (32'(u_write.write_session_o) == 32'(meta_q.session[$clog2(NumSessions)-1:0]));
        assert (u_write.write_position_o + $clog2(
            RingBytes
        )'(DataBytes) == next_place[$clog2(
            RingBytes
        )-1:0]);
      end
    end
  end

  always_comb begin
    cover (started_q & written & (was_q.meta.skip > 14'(DataBytes)) & was_q.beat.last &
           ~was_q.first);
    cover (started_q & written & (position == '1));
    cover (started_q & bad_length);
  end

endmodule
