// SPDX-License-Identifier: Apache-2.0
// Traffic shaper before mac_tx: sorts frames into classes by DSCP or by the mark of an access
// control list, limits the rate of each class by a token bucket, and serves the classes by strict
// priority or by deficit round robin.
//
// Each class has a queue of QueueBeats beats in block RAM, which sends whole frames in order: the
// order of a flow is kept as long as its frames have one class. A frame for which its queue has no
// room is dropped and counted; without DropsWhenFull it waits, and all frames after it. Bytes are
// those of the message (without padding, VLAN tag and FCS) and OverheadBytes.
//
// Under strict priority a frame that its bucket allows waits for those before it in its class, for
// those of the classes before, and for at most one frame of the classes after it.
//
// Latency: 4 cycles from the last beat in to the first beat out. Throughput: one beat per cycle; in
// a round robin, the turn of a class takes one cycle more.
`include "bombus_assert.svh"

module shaper
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type regs_t = logic,  // from shaper.rdl
    parameter type class_of_t = logic,
    parameter int unsigned NumClasses = 4,  // 2 to 8
    parameter int unsigned DataWidth = 512,
    parameter int unsigned QueueBeats = 32768 / (DataWidth / 8),  // a power of two
    parameter bit ByMark = 0,  // classes by ACL mark, not by DSCP
    parameter int unsigned OverheadBytes = 0,  // for each frame: 24 are those of Ethernet's layer 1
    parameter bit DropsWhenFull = 1,
    parameter bit CutsReady = 0,  // passed to output_stage
    parameter bit IsObserved = 0  // filled in by Bombus
) (
    input logic  clk_i,
    input logic  rst_i,
    input regs_t regs_i,

    output logic      [5:0] class_of_index_o,
    input  class_of_t       class_of_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,

    output logic            [0:0] drop_o,
    output message_number_t [0:0] drop_message_o,
    output logic                  busy_o,
    output logic                  waits_o
);

  localparam string Takes = "any";
  localparam string Sends = "taken";
  localparam string Entry = "";  // takes the messages of the tile named by `before`
  localparam bit StandsBefore = 1'b1;
  localparam string Precedes = "mac_tx vxlan_encapsulate";
  localparam string Needs = ByMark ? "1=acl.marks" : "";
  localparam bit AlwaysTakes = DropsWhenFull;
  localparam bit Forwards = 1'b1;
  localparam int unsigned MaxBusyCycles = DropsWhenFull ? 4096 : 0;  // 0: it waits for its buckets
  typedef enum logic [0:0] {NextShaped} next_e;
  typedef enum int unsigned {
    DropFull,
    NumDrops
  } drop_e;

  localparam int unsigned DataBytes = DataWidth / 8;
  localparam int unsigned MaxBeats = (MaxFrameBytes + DataBytes - 1) / DataBytes;
  if (DataWidth < 64 || DataWidth > 512 || DataWidth != 2 ** $clog2(
          DataWidth
      )) begin : gen_bad_width
    $error("shaper: DataWidth must be a power of two, 64 to 512");
  end
  if (QueueBeats < MaxBeats || QueueBeats > 65536 || QueueBeats != 2 ** $clog2(
          QueueBeats
      )) begin : gen_bad_queue
    $error("shaper: QueueBeats must be a power of two up to 65536, and hold the longest frame");
  end
  if (OverheadBytes > 64) begin : gen_bad_overhead
    $error("shaper: OverheadBytes must be at most 64");
  end

  typedef logic [$clog2(NumClasses)-1:0] class_t;
  typedef logic [$clog2(QueueBeats)-1:0] place_t;
  typedef logic [$clog2(QueueBeats):0] level_t;
  typedef logic [$clog2(MaxBeats+1)-1:0] beats_t;

  function automatic beats_t beats_of(length_t length);
    beats_of = beats_t'((length + length_t'(DataBytes - 1)) / length_t'(DataBytes));
    if (length == '0) beats_of = beats_t'(1);
  endfunction

  // ---- Input: the class, from a table ----

  packet_meta_t in_meta, stage_meta;
  typedef logic [$clog2(MaxFrameBytes+65)-1:0] bytes_t;
  typedef struct packed {
    bytes_t bytes;       // with OverheadBytes
    beats_t beats_less;  // beats less one
    logic   is_single;   // one beat
  } frame_t;
  typedef struct packed {
    beat_t  beat;
    beats_t beats;  // of the frame, in a first beat
    frame_t frame;  // in a first beat
  } stage_t;
  stage_t in_stage, out_stage;
  beat_t stage;
  assign in_stage = '{
          beat: in_i,
          beats: beats_of(in_i.length),
          frame: '{
              bytes: bytes_t'(in_i.length) + bytes_t'(OverheadBytes),
              beats_less: beats_of(in_i.length) - 1'b1,
              is_single: beats_of(in_i.length) == beats_t'(1)
          }
      };
  assign stage = out_stage.beat;
  logic stage_valid, stage_ready, stage_first;
  assign in_meta = packet_meta_t'($bits(packet_meta_t)'(in_i.meta));
  assign stage_meta = packet_meta_t'($bits(packet_meta_t)'(stage.meta));
  function automatic logic [5:0] value_of(packet_meta_t meta);
    return ByMark ? {3'd0, meta.l4.ip_tx.reserved[2:0]} : meta.tos[7:2];
  endfunction
  assign class_of_index_o = value_of(in_ready_o ? in_meta : stage_meta);
  stream_register #(
      .data_t(stage_t)
  ) u_in (
      .clk_i,
      .rst_i,
      .in_i(in_stage),
      .in_valid_i,
      .in_ready_o,
      .out_o(out_stage),
      .out_valid_o(stage_valid),
      .out_ready_i(stage_ready)
  );
  wire stored = stage_valid & stage_ready;
  message_number_t begun, unused_here;
  message_number #(
      .Enabled(IsObserved)
  ) u_first (
      .clk_i,
      .rst_i,
      .taken_i(stored),
      .last_i (stage.last),
      .first_o(stage_first),
      .here_o (unused_here),
      .begun_o(begun)
  );
  assign drop_message_o = begun;

  // ---- Queues ----

  class_t class_q, in_class;
  frame_t frame_q;
  logic dropping_q;
  wire frame_t frame = stage_first ? out_stage.frame : frame_q;
  wire class_t given = 32'(class_of_i.class_number) < NumClasses ?
      class_t'(class_of_i.class_number) : class_t'(NumClasses - 1);
  assign in_class = stage_first ? given : class_q;

  place_t [NumClasses-1:0] write_q, read_q;
  level_t [NumClasses-1:0] used_q;  // beats, of whole frames as soon as they begin
  level_t [NumClasses-1:0] used_with, used_with_less;  // with the frame, and less one beat
  logic [NumClasses-1:0] fits, is_full_q;
  always_comb begin
    for (int unsigned c = 0; c < NumClasses; c++) begin
      used_with[c] = used_q[c] + level_t'(out_stage.beats);
      used_with_less[c] = used_q[c] + level_t'(out_stage.frame.beats_less);
      fits[c] = ~used_with_less[c][$bits(level_t)-1];  // the queue has a power of two
    end
  end
  wire has_room = fits[in_class];
  wire drops = stage_first ? ~has_room & DropsWhenFull : dropping_q;
  assign stage_ready = DropsWhenFull | ~stage_first | has_room;

  (* ram_style = "block" *) beat_t ram[NumClasses*QueueBeats];
  wire write = stored & ~drops;
  // A frame that is dropped may write into a free place, which it does not keep.
  wire write_ram = stored & (stage_first ? ~is_full_q[in_class] : ~dropping_q);
  always_ff @(posedge clk_i) begin
    if (write_ram) ram[{in_class, write_q[in_class]}] <= stage;
    if (stored & stage_first) begin
      class_q <= in_class;
      frame_q <= out_stage.frame;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      dropping_q <= 1'b0;
      drop_o <= '0;
    end else begin
      if (stored) dropping_q <= drops;
      drop_o <= stored & stage_first & drops;
    end
  end

  // ---- The next frame of each class ----

  logic [NumClasses-1:0] has_frame, allows, full;
  frame_t [NumClasses-1:0] front, kept, next;
  bytes_t [NumClasses-1:0] first_bytes, kept_bytes, next_bytes;
  logic [NumClasses-1:0][15:0] quantum;
  logic chosen_valid, take;
  class_t chosen;
  for (genvar c = 0; c < NumClasses; c++) begin : gen_class
    wire is_taken = take & chosen == class_t'(c);
    shaper_frames #(
        .data_t(frame_t),
        .Depth (QueueBeats)
    ) u_frames (
        .clk_i,
        .rst_i,
        .data_i (frame),
        .write_i(write & stage.last & in_class == class_t'(c)),
        .take_i (is_taken),
        .valid_o(has_frame[c]),
        .data_o (front[c]),
        .kept_o (kept[c]),
        .next_o (next[c])
    );
    assign first_bytes[c] = front[c].bytes;
    assign kept_bytes[c] = kept[c].bytes;
    assign next_bytes[c] = next[c].bytes;
    assign quantum[c] = regs_i.limit[c].burst.quantum;
    token_bucket #(
        .BytesWidth($bits(bytes_t))
    ) u_bucket (
        .clk_i,
        .rst_i,
        .step_i       (regs_i.limit[c].rate.step),
        .burst_i      (regs_i.limit[c].burst.bytes),
        .first_bytes_i(first_bytes[c]),
        .kept_bytes_i (kept_bytes[c]),
        .next_bytes_i (next_bytes[c]),
        .take_i       (is_taken),
        .allows_o     (allows[c]),
        .full_o       (full[c])
    );
  end
  shaper_choice #(
      .NumClasses(NumClasses),
      .BytesWidth($bits(bytes_t))
  ) u_choice (
      .clk_i,
      .rst_i,
      .round_robin_i(regs_i.control.round_robin),
      .ready_i(has_frame & allows),
      .first_bytes_i(first_bytes),
      .kept_bytes_i(kept_bytes),
      .next_bytes_i(next_bytes),
      .quantum_i(quantum),
      .take_i(take),
      .valid_o(chosen_valid),
      .chosen_o(chosen)
  );

  // ---- Output: the beats of one frame after the other ----

  class_t sending_q;
  beats_t left_q;  // beats of its frame that are not read yet
  logic   begins_q;  // none: the next beat begins a frame
  logic read_valid_q, sent_ready, unused_next;
  beat_t read_data_q;
  wire   fetch = ~read_valid_q | sent_ready;
  assign take = fetch & begins_q & chosen_valid;
  wire class_t read_class = begins_q ? chosen : sending_q;
  wire reads = fetch & (~begins_q | chosen_valid);
  always_ff @(posedge clk_i) begin
    if (fetch) read_data_q <= ram[{read_class, read_q[read_class]}];
    if (take) sending_q <= chosen;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      read_valid_q <= 1'b0;
      left_q <= '0;
      begins_q <= 1'b1;
    end else if (fetch) begin
      read_valid_q <= reads;
      if (take) begin
        left_q   <= front[chosen].beats_less;
        begins_q <= front[chosen].is_single;
      end else if (reads) begin
        left_q   <= left_q - 1'b1;
        begins_q <= left_q == beats_t'(1);
      end
    end
  end
  for (genvar c = 0; c < NumClasses; c++) begin : gen_level
    wire enters = stored & stage_first & ~drops & in_class == class_t'(c);
    wire stores = write & in_class == class_t'(c);
    wire leaves = reads & read_class == class_t'(c);
    wire level_t used_less = used_q[c] - 1'b1;
    wire level_t used_d = enters ? (leaves ? used_with_less[c] : used_with[c]) :
        (leaves ? used_less : used_q[c]);
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        write_q[c] <= '0;
        read_q[c] <= '0;
        used_q[c] <= '0;
        is_full_q[c] <= 1'b0;
      end else begin
        write_q[c] <= write_q[c] + place_t'(stores);
        read_q[c] <= read_q[c] + place_t'(leaves);
        used_q[c] <= used_d;
        is_full_q[c] <= used_d[$bits(level_t)-1];
      end
    end
  end
  output_stage #(
      .beat_t(beat_t),
      .CutsReady(CutsReady)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(read_data_q),
      .in_valid_i(read_valid_q),
      .in_ready_o(sent_ready),
      .in_next_i(NextShaped),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o(unused_next)
  );

  // Buckets fill up in cycles, which are not skipped.
  assign busy_o  = stage_valid | used_q != '0 | read_valid_q | out_valid_o | ~&full;
  assign waits_o = 1'b1;  // a frame has its addresses, and waits for its bucket or the MAC

  `BOMBUS_ASSERT(KnowsRoom, !stored || 32'(used_q[in_class]) <= QueueBeats)

endmodule
