// SPDX-License-Identifier: Apache-2.0
// tcp_payload: each pushed segment is sent as one whole message, in the order of the pushes, with
// its length, its header and its bytes; words beyond its end are zero. In particular, no row is
// overwritten before it has been sent, neither of a segment that is pushed late nor of those that
// overtake it. Proved for all time, by induction, for any number of segments, each of up to as many
// bytes as the memory has, of which up to `Segments` wait.
//
// One arbitrary segment is marked, and one word of its payload is watched: word `header + n` of the
// arriving segment, and word n of the message sent.
//
// Not shown here: that segments are eventually sent, and that late_full_o prevents a deadlock.
//
// Assumed, and ensured by tcp_receive:
// - All beats of a message but the last are full, and its length is correct.
// - in_leads_i, in_follows_i and in_shift_i locate its payload, unless it is not accepted.
// - There is one verdict on it, no later than on the first beat of its payload, and it is accepted
//   only if its length includes its header.
// - Only one segment at a time is late, and none while late_full_o is set.
// - It is pushed with the row and the length of its verdict, one cycle later; a late one in any
//   later cycle, but not together with another one.
// - No beat arrives from two cycles after nearly_full_o on: in_ready_o is a register.
// - The queue has room (`inside_q`): here, for the pushed segment.
module tcp_payload_formal #(
    parameter int unsigned DataBytes = 8,
    parameter int unsigned Rows = 16,
    parameter int unsigned Segments = 4,
    localparam int unsigned ShiftWidth = $clog2(DataBytes / 4)
) (
    input logic clk_i,
    input logic rst_i,
    input logic [DataBytes*8-1:0] data_i,
    // The segment that begins: its length with the header, words of the header that are stripped
    input logic [13:0] length_i,
    input logic [3:0] header_i,
    input logic bad_i,  // its header is invalid: only the length of its beats is known
    input logic [ShiftWidth-1:0] shift_i,
    input logic leads_i,
    input logic follows_i,
    input logic valid_i,
    input logic judge_i,  // the verdict is given with this beat
    input logic accept_i,
    input logic late_i,
    input logic [3:0] kept_header_i,  // header words kept before the payload
    input logic leaves_i,  // the late segment is pushed
    input logic mark_i,
    input logic [$clog2(Rows)-1:0] row_i,  // the row of its payload that is watched, and the word
    input logic [ShiftWidth-1:0] word_i,
    input logic out_ready_i
);

  localparam int unsigned Words = DataBytes / 4;
  localparam int unsigned RowWidth = $clog2(Rows);
  localparam int unsigned MaxRows = Rows;  // of a segment: more than are ever in use at a time
  localparam int unsigned CountWidth = $clog2(DataBytes) + 1;
  typedef logic [RowWidth-1:0] row_t;
  typedef logic [ShiftWidth-1:0] shift_t;
  typedef logic [13:0] length_t;
  typedef logic [7:0] row_number_t;  // a row, counted from the first one in use
  typedef struct packed {
    logic [1:0] kind;
    logic [13:0] length;
    logic last;
    logic [CountWidth-1:0] bytes;
    logic [DataBytes*8-1:0] data;
  } beat_t;

  // Rows of a payload: one if it is empty.
  function automatic row_number_t rows(length_t length);
    return length == '0 ? 8'd1 : 8'((length + 14'(DataBytes - 1)) / 14'(DataBytes));
  endfunction

  // ---- Segments, as they arrive ----

  logic started_q = 1'b0;
  logic first_q, follows_q, judged_q, bad_q;
  length_t left_q, words_q;  // bytes from this beat on; words before it
  logic [3:0] header_q;
  wire length_t left = first_q ? length_i : left_q;
  wire length_t words = first_q ? '0 : words_q;
  wire [3:0] header = first_q ? header_i : header_q;
  wire follows = ~first_q & follows_q;
  wire leads = ~follows & (length_t'(header) < words + length_t'(Words));
  wire shift_t shift = header[ShiftWidth-1:0];
  wire last = left <= length_t'(DataBytes);
  wire judge = (judge_i | leads | last) & (first_q | ~judged_q);
  wire length_t size = (words << 2) + left;
  wire length_t payload = size - {8'b0, header, 2'b0};
  wire bad = first_q ? bad_i : bad_q;
  wire legal = ~bad & size >= {8'b0, header, 2'b0};
  // Bytes of the payload that are not in complete rows
  wire length_t togo = follows ? left + partial_row(shift) : payload;

  beat_t in;
  assign in = '{
          kind: '0,
          length: size,
          last: last,
          bytes: last ? CountWidth'(left) : CountWidth'(DataBytes),
          data: data_i
      };

  function automatic length_t partial_row(shift_t by);
    return by == '0 ? '0 : length_t'(DataBytes) - length_t'({by, 2'b0});
  endfunction

  // One cycle later: the verdict
  typedef struct packed {
    logic judge;
    logic last;
    logic legal;
    logic leads;
    logic follows;
    shift_t shift;
    logic [3:0] header;
    length_t words;
    length_t payload;
    length_t togo;
    logic hit;  // the watched word is in the beat
    logic [31:0] word;
  } was_t;
  was_t was, was_q;
  logic was_valid_q;
  wire row_t row_n = row_i;
  wire [$clog2(Words)-1:0] word_n = word_i;
  wire length_t n = length_t'(row_n) * length_t'(Words) + length_t'(word_n);
  wire length_t at = length_t'(was.header) + n;  // index among the words of the segment
  always_comb begin
    was = '{
        judge: judge,
        last: last,
        legal: legal,
        leads: leads,
        follows: follows,
        shift: shift,
        header: header,
        words: words,
        payload: payload,
        togo: togo,
        hit: 1'b0,
        word: data_i[at[$clog2(Words)-1:0]*32+:32]
    };
    was.hit = (at >= words) & (at < words + length_t'(Words));
  end

  wire length_t was_size = was_q.payload + {8'b0, was_q.header, 2'b0};
  wire length_t was_partial = partial_row(was_q.shift);
  logic accepted_q;  // the arriving beats belong to an accepted segment
  logic full_q;  // nearly_full_o
  logic late_full, nearly_full;
  row_t row;
  wire  accept = was_q.judge ? accept_i & was_q.legal : accepted_q;
  wire  accepted = was_valid_q & was_q.judge & accept;
  wire  late = accepted & late_i;

  typedef struct packed {
    logic late;
    row_t row;
    length_t length;
    logic [3:0] header;
  } head_t;
  head_t arrives, late_q, push_q;
  logic waits_q;  // the late segment is not pushed yet
  logic push_valid_q;
  wire  leaves = waits_q & leaves_i & ~(was_valid_q & was_q.judge);
  assign arrives = '{late: late, row: row, length: was_q.payload, header: kept_header_i};

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (valid_i) begin
      left_q <= left - length_t'(DataBytes);
      words_q <= words + length_t'(Words);
      header_q <= header;
      bad_q <= bad;
      follows_q <= follows | leads;
      judged_q <= (~first_q & judged_q) | judge;
    end
    was_q <= was;
    if (late) late_q <= arrives;
    push_q <= leaves ? late_q : arrives;
    full_q <= ~rst_i & nearly_full;
    if (rst_i) begin
      first_q <= 1'b1;
      was_valid_q <= 1'b0;
      accepted_q <= 1'b0;
      waits_q <= 1'b0;
      push_valid_q <= 1'b0;
    end else begin
      if (valid_i) first_q <= last;
      was_valid_q <= valid_i;
      if (was_valid_q) accepted_q <= accept & ~was_q.last;
      waits_q <= late | (waits_q & ~leaves);
      push_valid_q <= (accepted & ~late) | leaves;
    end
  end

  beat_t out;
  logic [5:0] out_header;
  logic out_valid, sent;
  tcp_payload #(
      .beat_t(beat_t),
      .DataBytes(DataBytes),
      .Rows(Rows),
      .Segments(Segments)
  ) u_payload (
      .clk_i,
      .rst_i,
      .in_i(in),
      .in_valid_i(valid_i),
      .in_shift_i((leads | follows) & ~bad ? shift : shift_i),
      .in_leads_i(bad ? leads_i : leads),
      .in_follows_i(bad ? follows_i : follows),
      .accept_i(accept),
      .late_i(late),
      .row_o(row),
      .late_full_o(late_full),
      .nearly_full_o(nearly_full),
      .push_i(push_valid_q),
      .push_row_i(push_q.row),
      .push_length_i(push_q.length),
      .push_header_i(push_q.header),
      .push_late_i(push_q.late),
      .out_o(out),
      .out_header_o(out_header),
      .out_valid_o(out_valid),
      .out_ready_i,
      .sent_o(sent)
  );

  // Row numbers
  row_number_t write_place_q, kept_place_q, end_place_q;  // end: of the accepted segments
  row_number_t push_place_q, late_place_q, mark_place_q;
  row_number_t [Segments-1:0] entry_place_q;

  wire [$clog2(Segments):0] level = u_payload.u_heads.u_state.level_q;
  head_t [Segments-1:0] entry;
  for (genvar e = 0; e < Segments; e++) begin : gen_entry
    assign entry[e] = u_payload.u_heads.u_state.entry_q[e][$bits(head_t):1];
  end

  row_t   row_n_q;
  shift_t word_n_q;
  always_ff @(posedge clk_i) {row_n_q, word_n_q} <= {row_n, word_n};
  always_comb begin
    assume (rst_i == ~started_q);
    if (started_q) assume ({row_n, word_n} == {row_n_q, word_n_q});
    assume (length_i != '0);
    assume (length_i <= length_t'(MaxRows * DataBytes) + {8'b0, header_i, 2'b0});
    assume (32'(row_n) < MaxRows);
    if (started_q) begin
      if (full_q) assume (~valid_i);
      if (late_full) assume (~late_i);
      if (push_valid_q) assume (32'(level) < Segments);
    end
  end

  // ---- One segment is marked, one word of its payload is watched ----

  logic marked_q, pushed_q, inside_q, arriving_q, has_q;
  head_t mark_q;
  logic [31:0] value_q;
  typedef logic [$clog2(Segments)+1:0] count_t;
  count_t count_q, ahead_q;  // segments pushed and not yet sent; of these, before the marked one
  logic [RowWidth:0] beat_q;  // beats of the segment sent
  wire marks = accepted & mark_i & ~marked_q;
  wire marked_pushed = push_valid_q & marked_q & ~pushed_q & (push_q.late == mark_q.late);
  wire out_taken = out_valid & out_ready_i;
  wire out_leaves = out_taken & out.last;
  wire watched = was_valid_q & was_q.hit & (marks | arriving_q);
  always_ff @(posedge clk_i) begin
    if (marks) mark_q <= arrives;
    if (watched) value_q <= was_q.word;
    if (marked_pushed) ahead_q <= count_q - count_t'(out_leaves);
    else ahead_q <= ahead_q - count_t'(out_leaves);
    if (rst_i) begin
      {marked_q, pushed_q, inside_q, arriving_q, has_q} <= '0;
      count_q <= '0;
      beat_q <= '0;
    end else begin
      if (marks) marked_q <= 1'b1;
      if (marked_pushed) pushed_q <= 1'b1;
      if (marked_pushed) inside_q <= 1'b1;
      else if (out_leaves & (ahead_q == '0)) inside_q <= 1'b0;
      if (marks) arriving_q <= ~was_q.last;
      else if (was_valid_q & was_q.last) arriving_q <= 1'b0;
      if (watched) has_q <= 1'b1;
      count_q <= count_q + count_t'(push_valid_q) - count_t'(out_leaves);
      if (out_taken) beat_q <= out.last ? '0 : beat_q + 1'b1;
    end
  end

  wire is_payload = (n << 2) < mark_q.length;
  wire [31:0] value = is_payload ? value_q : '0;
  wire is_out = out_valid & inside_q & (ahead_q == '0);
  function automatic length_t bytes_before(logic [RowWidth:0] beat);
    return length_t'(beat) * length_t'(DataBytes);
  endfunction

  wire length_t out_left = mark_q.length - bytes_before(beat_q);
  wire [31:0] out_word = out.data[word_n*32+:32];
  always_comb begin
    if (started_q) begin
      if (out_valid) assert (count_q != '0);
      if (is_out) begin
        assert (out.length == mark_q.length);
        assert (out_header == {mark_q.header, 2'b0});
        assert (out.last == (out_left <= length_t'(DataBytes)));
        assert (out.bytes == (out.last ? CountWidth'(out_left) : CountWidth'(DataBytes)));
        assert (out_left != '0 | (beat_q == '0 & mark_q.length == '0));
        if (beat_q == {1'b0, row_n}) assert (out_word == value);
        if (beat_q == {1'b0, row_n} & is_payload) assert (has_q);
      end
    end
  end

  // Beats already sent of the segments in the stage after the memory and in the one before it
  wire reads = u_payload.read_valid_q;
  wire [RowWidth:0] read_beat = out_valid ? (out.last ? '0 : beat_q + 1'b1) : beat_q;
  wire [RowWidth:0] next_beat = u_payload.side_q.last ? '0 : read_beat + 1'b1;
  wire [RowWidth:0] fetch_beat = reads ? next_beat : read_beat;

  // ---- Invariants: the input ----

  wire length_t was_header = length_t'(was_q.header);
  wire length_t was_next = was_q.words + length_t'(Words);
  wire was_completes = was_q.shift == '0 ? was_q.leads | was_q.follows : was_q.follows;
  always_comb begin
    if (started_q) begin
      if (~first_q) begin
        assert (left_q != '0);
        assert (left_q <= length_t'(MaxRows * DataBytes) + {8'b0, header_q, 2'b0});
        assert (size <= length_t'(MaxRows * DataBytes) + {8'b0, header_q, 2'b0});
        assert (words_q != '0 & words_q[$clog2(Words)-1:0] == '0);
        assert (words_q <= length_t'(MaxRows * Words) + length_t'(header_q));
        assert (follows_q == (words_q > length_t'(header_q)));
        if (follows_q) assert (judged_q);
      end
      if (accepted_q) assert ((was_valid_q & ~was_q.judge) | (~was_valid_q & ~first_q & judged_q));
      // Content of the first stage
      assert (u_payload.valid_q == was_valid_q);
      if (was_valid_q) begin
        assert (was_q.last == u_payload.last_q);
        assert (~was_q.follows | ~was_q.judge);
        if (was_q.legal) assert (u_payload.joins_q == (was_q.follows & was_q.shift != '0));
        if (was_q.legal) assert (u_payload.completes_q == was_completes);
        assert (~u_payload.spills_q | u_payload.joins_q);
        assert (was_q.shift == was_q.header[ShiftWidth-1:0]);
        assert (was_q.words[$clog2(Words)-1:0] == '0);
        assert (was_q.payload <= length_t'(MaxRows * DataBytes) | ~was_q.legal);
        assert (was_q.follows == (was_q.words > was_header));
        assert (was_q.leads == (~was_q.follows & was_header < was_next));
        if (was_q.legal & (was_q.leads | was_q.follows)) assert (u_payload.shift_q == was_q.shift);
        assert (was_q.hit == (was_header + n >= was_q.words & was_header + n < was_next));
        if (was_q.legal & was_q.hit) assert (u_payload.aligned[word_n] == was_q.word);
        if (was_q.legal) begin
          assert (was_size > was_q.words << 2);
          assert (was_q.last == (was_size <= (was_q.words << 2) + length_t'(DataBytes)));
          if (was_q.follows) begin
            assert (was_q.togo + ((was_q.words - was_header) << 2) == was_q.payload + was_partial);
            assert (was_q.togo > was_partial);
          end else begin
            assert (was_q.togo == was_q.payload);
          end
          assert (was_q.togo <= was_q.payload);
          if (~was_q.last & was_completes) assert (was_q.togo > length_t'(DataBytes));
          if (~was_q.last & ~was_completes) assert (was_q.togo == was_q.payload);
          if (was_q.last & ~u_payload.spills_q) assert (was_q.togo <= length_t'(DataBytes));
          if (was_q.last & u_payload.spills_q)
            assert (was_q.togo > length_t'(DataBytes) & was_q.togo <= length_t'(2 * DataBytes));
        end
        // The same segment still arrives.
        assert (first_q == was_q.last);
        if (~first_q) begin
          assert (words_q == was_q.words + length_t'(Words));
          assert (header_q == was_q.header);
          assert (legal == was_q.legal);
          assert (payload == was_q.payload);
          assert (follows_q == (was_q.follows | was_q.leads));
          if (legal)
            assert (togo == was_q.togo - (u_payload.completes_q ? length_t'(DataBytes) : '0));
          assert (judged_q == (was_q.judge | accepted_q | judged_q));
          if (was_q.judge) assert (judged_q);
        end
      end
      if (accepted_q) assert (was_valid_q ? was_q.legal : legal);
    end
  end

  // ---- Invariants: rows in use ----

  localparam int unsigned MostUsed = Rows - 3;
  row_t used1_q, used2_q, used3_q;  // rows in use in the previous cycles
  logic [1:0] adds1_q, adds2_q, adds3_q;  // rows that were added
  wire row_t used = u_payload.write_q - u_payload.kept_q;
  wire adds = was_valid_q & accept & u_payload.one;
  wire [1:0] added = {adds & u_payload.two, adds & ~u_payload.two};
  always_ff @(posedge clk_i) begin
    {used1_q, used2_q, used3_q} <= rst_i ? '0 : {used, used1_q, used2_q};
    {adds1_q, adds2_q, adds3_q} <= rst_i ? '0 : {added, adds1_q, adds2_q};
  end
  always_comb begin
    if (started_q) begin
      assert (u_payload.after_q == u_payload.write_q + row_t'(1));
      assert (32'(used) <= MostUsed && 32'(used1_q) <= MostUsed);
      assert (32'(used2_q) <= MostUsed && 32'(used3_q) <= MostUsed);
      assert (32'(used) <= 32'(used1_q) + 32'(adds1_q));
      assert (32'(used1_q) <= 32'(used2_q) + 32'(adds2_q));
      assert (32'(used2_q) <= 32'(used3_q) + 32'(adds3_q));
      assert (adds1_q != 2'd3 & adds2_q != 2'd3 & adds3_q != 2'd3);
      assert (adds1_q != 2'd2 | adds2_q != 2'd2);
      assert (adds2_q != 2'd2 | adds3_q != 2'd2);
      if (adds1_q == 2'd2 & was_valid_q) assert (~was_q.follows);
      if (~nearly_full) assert (32'(used1_q) < Rows - 8);
      if (~full_q) assert (32'(used2_q) < Rows - 8);
      if (was_valid_q) assert (32'(used3_q) < Rows - 8);
    end
  end

  // ---- Invariants: the order of rows ----

  // Rows are numbered from reset on, modulo 256: all rows in use are close to each other.
  function automatic logic at_least(row_number_t a, row_number_t b);
    row_number_t difference;
    difference = a - b;
    return ~difference[$bits(row_number_t)-1];
  endfunction

  // rows sent; the first row not sent, except those of the late segment
  row_number_t read_place_q, sent_place_q;
  logic arriving_late_q;
  wire fetch = u_payload.fetch;
  wire pops = u_payload.head_ready;
  wire is_late = u_payload.late_q;  // a segment is late and not sent
  wire begun = u_payload.begun_q & level != '0;
  wire row_number_t late_end = late_place_q + rows(late_q.length);
  wire is_past = is_late & ~at_least(late_place_q, sent_place_q);
  always_ff @(posedge clk_i) begin
    if (leaves) push_place_q <= late_place_q;
    else push_place_q <= write_place_q;
    if (late) late_place_q <= write_place_q;
    if (marks) mark_place_q <= write_place_q;
    if (pops) entry_place_q <= entry_place_q >> $bits(row_number_t);
    if (push_valid_q) entry_place_q[level-$bits(level)'(pops)] <= push_place_q;
    if (rst_i) begin
      {write_place_q, end_place_q, read_place_q, kept_place_q, sent_place_q} <= '0;
      arriving_late_q <= 1'b0;
    end else begin
      write_place_q <= write_place_q + row_number_t'(added);
      if (accepted) end_place_q <= write_place_q + rows(was_q.payload);
      read_place_q <= read_place_q + row_number_t'(u_payload.fetched_q);
      if (~is_late & ~late) kept_place_q <= read_place_q;
      if (fetch & ~entry[0].late) sent_place_q <= (begun ? sent_place_q : entry_place_q[0]) + 8'd1;
      else if (pops & sent_place_q == late_place_q) sent_place_q <= late_end;
      if (late) arriving_late_q <= ~was_q.last;
      else if (was_valid_q & was_q.last) arriving_late_q <= 1'b0;
    end
  end

  // The queued segments, and the one pushed now
  row_number_t [Segments+1:0] from;
  logic [Segments:0] queued, queued_late;
  head_t [Segments:0] item;
  row_number_t [Segments:0] item_place, item_end;
  always_comb begin
    from[0] = sent_place_q;
    for (int unsigned i = 0; i <= Segments; i++) begin
      queued[i] = i < 32'(level) || (i == 32'(level) && push_valid_q);
      item[i] = i < 32'(level) ? entry[i%Segments] : push_q;
      item_place[i] = i < 32'(level) ? entry_place_q[i%Segments] : push_place_q;
      item_end[i] = item_place[i] + rows(item[i].length);
      queued_late[i] = queued[i] & item[i].late;
      from[i+1] = queued[i] & ~item[i].late ? item_end[i] : from[i];
    end
  end
  function automatic row_number_t behind_late(row_number_t of);
    return is_late && of == late_place_q ? late_end : of;
  endfunction
  wire row_number_t queue_end = from[Segments+1];
  wire length_t now_togo = was_valid_q ? was_q.togo : togo;
  wire late_arrives = accepted_q & arriving_late_q;
  // Rows of the late segment that are sent
  wire row_number_t late_sent = is_late & begun & entry[0].late ? row_number_t'(fetch_beat) : '0;

  always_comb begin
    if (started_q) begin
      assert (u_payload.write_q == row_t'(write_place_q));
      assert (u_payload.kept_q == row_t'(kept_place_q));
      assert (u_payload.sent_q == row_t'(read_place_q));
      assert (row_number_t'(used) == write_place_q - kept_place_q);
      assert (end_place_q == write_place_q + (accepted_q ? rows(now_togo) : '0));
      assert (at_least(sent_place_q, kept_place_q) & at_least(write_place_q, sent_place_q));
      assert (at_least(read_place_q, kept_place_q));
      assert (read_place_q + row_number_t'(u_payload.fetched_q) == sent_place_q -
              (is_past ? late_end - late_place_q : '0) + late_sent);
      for (int unsigned i = 0; i <= Segments; i++) begin
        if (queued[i]) begin
          assert (item[i].length <= length_t'(MaxRows * DataBytes));
          assert (item[i].row == row_t'(item_place[i]));
          if (item[i].late) begin
            assert (is_late & item[i] == late_q & item_place[i] == late_place_q);
            assert (at_least(from[i], late_place_q));
          end else begin
            if (i == 0 && begun)
              assert (sent_place_q == item_place[i] + row_number_t'(fetch_beat));
              else assert (item_place[i] == behind_late(from[i]));
            assert (at_least(end_place_q, item_end[i]));
            if (i != 0) assert (at_least(item_place[i], sent_place_q));
            assert (~is_late | at_least(
                item_place[i], late_end
            ) | at_least(
                late_place_q, item_end[i]
            ));
          end
        end
      end
      assert (behind_late(queue_end) == end_place_q);
      assert ($onehot0({waits_q, queued_late}));
      assert (is_late == |{waits_q, queued_late});
      if (waits_q) assert (at_least(queue_end, late_place_q));
      if (is_late) begin
        assert (late_q.late & late_q.row == row_t'(late_place_q));
        assert (late_q.length <= length_t'(MaxRows * DataBytes));
        assert (at_least(late_place_q, kept_place_q) & at_least(write_place_q, late_place_q));
        if (late_arrives)
          assert (queue_end == late_place_q & late_end == end_place_q);
          else assert (at_least(write_place_q, late_end));
        assert (at_least(late_place_q, sent_place_q) | ~at_least(late_end, sent_place_q));
      end
      if (late_arrives) assert (is_late);
      if (arriving_late_q) assert (accepted_q);
      if (begun) begin
        assert (u_payload.left_q != '0 & u_payload.left_q < length_t'(MaxRows * DataBytes));
        if (entry[0].late) assert (at_least(write_place_q, late_place_q + late_sent));
      end
      if (u_payload.begun_q) assert (level != '0);
    end
  end

  // ---- Invariants: output ----

  wire read_last = reads & u_payload.side_q.last;
  wire out_last = out_valid & out.last;
  wire count_t before_read = count_t'(out_last);
  wire count_t before_queue = count_t'(out_last) + count_t'(read_last);
  wire is_read = reads & inside_q & (ahead_q == before_read);
  wire is_queued = inside_q & (ahead_q >= before_queue);
  wire count_t position = ahead_q - before_queue;
  wire is_front = is_queued & (position == '0);
  wire length_t read_left = mark_q.length - bytes_before(read_beat);
  wire is_waiting = marked_q & ~pushed_q;
  wire row_t mark_row = mark_q.row + row_n;
  wire row_number_t arrived = write_place_q - mark_place_q;
  wire row_number_t mark_end = mark_place_q + rows(mark_q.length);
  wire row_number_t watched_place = mark_place_q + row_number_t'(row_n);
  wire is_unsent = is_waiting | (is_queued & (~is_front | fetch_beat <= {1'b0, row_n}));
  logic [Words-1:0][31:0] stored;
  for (genvar w = 0; w < Words; w++) begin : gen_stored
    assign stored[w] = u_payload.gen_word[w].ram[mark_row];
  end
  wire now_follows = was_valid_q ? was_q.follows : follows_q;
  wire shift_t now_shift = was_valid_q ? was_q.shift : header_q[ShiftWidth-1:0];
  // The watched word is in the row that the next beat completes, if that is its row.
  wire is_begun = now_follows & now_shift != '0 & 32'(word_n) + 32'(now_shift) < Words;
  wire length_t now_words = was_valid_q ? was_q.words : words_q;
  wire length_t now_at = n + length_t'(was_valid_q ? was_q.header : header_q);

  always_comb begin
    if (started_q) begin
      assert (32'(count_q) == 32'(level) + 32'(before_queue));
      assert (out_valid | beat_q == '0 | reads | begun);
      assert (u_payload.begun_q == (fetch_beat != '0));
      assert (32'(beat_q) <= MaxRows && 32'(read_beat) <= MaxRows && 32'(fetch_beat) <= MaxRows);
      if (out_valid) begin
        assert (out.length <= length_t'(MaxRows * DataBytes));
        assert (out.length > bytes_before(beat_q) | beat_q == '0);
        assert (out.last == (out.length <= bytes_before(beat_q) + length_t'(DataBytes)));
        if (~out.last & ~reads) assert (begun & entry[0].length == out.length);
        if (~out.last & reads) assert (u_payload.side_q.length == out.length);
      end
      if (reads) begin
        assert (u_payload.side_q.length <= length_t'(MaxRows * DataBytes));
        assert (u_payload.side_q.length > bytes_before(read_beat) | read_beat == '0);
        assert (u_payload.side_q.last == (u_payload.side_q.length <= bytes_before(
            read_beat
        ) + length_t'(DataBytes)));
        if (~u_payload.side_q.last) assert (begun & entry[0].length == u_payload.side_q.length);
      end
      if (begun) begin
        assert (entry[0].length == u_payload.left_q + bytes_before(fetch_beat));
        assert (u_payload.row_q == entry[0].row + row_t'(fetch_beat));
      end
      if (pushed_q) assert (marked_q);
      if (inside_q) assert (pushed_q & ahead_q < count_q);
      if (has_q) assert (marked_q);
      if (is_queued) begin
        assert (entry[position[$clog2(Segments)-1:0]] == mark_q);
        assert (entry_place_q[position[$clog2(Segments)-1:0]] == mark_place_q);
      end
      if (is_waiting | is_queued) begin
        assert (mark_q.row == row_t'(mark_place_q));
        if (arriving_q)
          assert (mark_end == end_place_q);
          else assert (at_least(write_place_q, mark_end));
        if (mark_q.late) assert (late_q == mark_q & late_place_q == mark_place_q);
      end
      if (is_waiting) begin
        if (~mark_q.late | ~waits_q) begin
          assert (push_valid_q & push_q == mark_q & push_place_q == mark_place_q);
        end
      end
      if (marked_q) assert (mark_q.length <= length_t'(MaxRows * DataBytes));
      if (arriving_q) begin
        assert (accepted_q & marked_q & (is_waiting | is_queued));
        assert (was_valid_q ? was_q.payload == mark_q.length : payload == mark_q.length);
        assert (arriving_late_q == mark_q.late);
        assert (mark_q.length == now_togo + length_t'(arrived) * length_t'(DataBytes));
        if (is_front) assert (row_number_t'(fetch_beat) <= arrived);
        assert (has_q == (now_at < now_words));
      end
      if (is_unsent & is_payload) begin
        assert (has_q | arriving_q);
        assert (at_least(watched_place, kept_place_q));
        if (has_q) begin
          assert (stored[word_n] == value_q);
          if (arriving_q) begin
            assert (row_number_t'(row_n) < arrived | (row_number_t'(row_n) == arrived & is_begun));
          end
        end else begin
          assert (row_number_t'(row_n) >= arrived);
        end
      end
      if (is_read) begin
        assert (u_payload.side_q.length == mark_q.length);
        assert (u_payload.side_q.header == mark_q.header);
        assert (u_payload.side_q.last == (read_left <= length_t'(DataBytes)));
        assert (u_payload.side_q.bytes ==
                CountWidth'(u_payload.side_q.last ? 32'(read_left) : 32'(DataBytes)));
        assert (read_left != '0 | (read_beat == '0 & mark_q.length == '0));
        if (read_beat == {1'b0, row_n}) begin
          assert (u_payload.side_q.beyond[word_n] == ~is_payload);
          if (is_payload) assert (has_q & u_payload.read_q[word_n] == value_q);
        end
      end
    end
  end

  wire  unused = &{sent, out.kind};

  // A segment accepted after the marked one has been pushed before it.
  logic overtaken_q;
  always_ff @(posedge clk_i) begin
    overtaken_q <= ~rst_i & (overtaken_q | (is_waiting & mark_q.late & push_valid_q & ~push_q.late &
                                            ~at_least(mark_place_q, push_place_q)));
  end
  wire watched_leaves = is_out & is_payload & (beat_q == {1'b0, row_n});
  always_comb begin
    if (started_q) begin
      cover (watched_leaves & (row_n != '0) & overtaken_q);
      cover (nearly_full & is_late);
      cover (is_out & (mark_q.length == '0) & (ahead_q == '0));
    end
  end

endmodule
