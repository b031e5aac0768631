// SPDX-License-Identifier: Apache-2.0
// Reed-Solomon encoder as a service on UDP: a request carries the data shards of a block, one after
// another; the reply carries its parity shards in the same order.
//
// Requests of any other size are dropped, as are requests from port 0, which expect no reply (RFC
// 768). The matrix is one of rs_matrix_pkg.
//
// Each beat is multiplied by the coefficients of its shard, one for each parity shard, and added to
// the sums. The first parity shard is sent while the last data shard arrives. The others are stored
// and sent after it, while the next request already arrives.
//
// Latency: 3 cycles from the first beat of the last data shard. Throughput: one beat per cycle, in
// or out, whichever is more.
`include "bombus_assert.svh"

module rs_encode
  import bombus_pkg::*;
  import gf256_pkg::*;
  import rs_matrix_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned UdpPort = 1082,  // Bombus reads it and binds the port to this layer
    parameter int unsigned DataShards = 8,
    parameter int unsigned ParityShards = 2,
    parameter int unsigned ShardBytes = 512,
    parameter int unsigned Matrix = 0  // see rs_matrix_pkg
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic            [0:0] out_next_o,
    output logic            [1:0] drop_o,
    output message_number_t [1:0] drop_message_o,
    output logic            [0:0] event_o,
    output logic                  busy_o
);

  localparam string Entry = "rs_encode";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  typedef enum logic [0:0] {NextUdpTx} next_e;
  typedef enum int unsigned {
    DropNoReplyPort,
    DropWrongSize,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventEncoded,
    NumEvents
  } event_e;

  localparam int unsigned NumBytes = $bits(in_i.data) / 8;
  localparam int unsigned NumBeats = ShardBytes / NumBytes;  // beats per shard
  localparam int unsigned RequestBytes = DataShards * ShardBytes;
  localparam int unsigned ReplyBytes = ParityShards * ShardBytes;
  localparam int unsigned HeaderBytes = 14 + 20 + 8;  // Ethernet, IPv4, UDP

  if (UdpPort < 1 || UdpPort > 65535) begin : gen_bad_port
    $error("rs_encode: udp_port must be from 1 to 65535");
  end
  if (DataShards < 1 || ParityShards < 1 || DataShards + ParityShards > 256) begin : gen_bad_shards
    $error("rs_encode: DataShards and ParityShards must be 1 or more, together 256 at most");
  end
  if (ShardBytes < NumBytes || ShardBytes % NumBytes != 0) begin : gen_bad_size
    $error("rs_encode: ShardBytes must be a multiple of the bytes in a beat");
  end
  if (RequestBytes + HeaderBytes > MaxFrameBytes || ReplyBytes + HeaderBytes > MaxFrameBytes)
  begin : gen_too_long
    $error("rs_encode: all data shards, or all parity shards, do not fit into one frame");
  end
  if (Matrix > MatrixPower) begin : gen_bad_matrix
    $error("rs_encode: Matrix must be 0, 1 or 2");
  end
  if (Matrix == MatrixPower && !power_recovers(DataShards, ParityShards)) begin : gen_weak
    $warning("rs_encode: with this many shards, Matrix 2 cannot recover every loss; take 0 or 1");
  end

  localparam int unsigned BeatWidth = NumBeats > 1 ? $clog2(NumBeats) : 1;
  localparam int unsigned ShardWidth = DataShards > 1 ? $clog2(DataShards) : 1;
  localparam int unsigned RowWidth = ParityShards > 1 ? $clog2(ParityShards) : 1;
  typedef logic [BeatWidth-1:0] beat_index_t;
  typedef logic [ShardWidth-1:0] shard_index_t;
  typedef logic [RowWidth-1:0] row_index_t;
  typedef logic [NumBytes-1:0] plane_t;  // one bit of every byte
  typedef plane_t [7:0] planes_t;

  typedef multiplier_t [ParityShards-1:0] column_t;
  typedef column_t [DataShards-1:0] matrix_t;
  function automatic matrix_t make_matrix();
    matrix_t m;
    gf_table_t logarithms, products;
    traces_t traces;
    logarithms = gf_logarithms();
    products   = rs_products(DataShards, DataShards + ParityShards, logarithms);
    traces     = gf_traces();
    for (int unsigned s = 0; s < DataShards; s++) begin
      for (int unsigned r = 0; r < ParityShards; r++) begin
        m[s][r] =
            gf_multiplier(rs_exponent(Matrix, DataShards, r, s, logarithms, products), traces);
      end
    end
    return m;
  endfunction
  localparam matrix_t Generator = make_matrix();

  // ---- Requests of the right size, one beat at a time ----

  typedef struct packed {
    packet_meta_t meta;
    planes_t      data;
    plane_t [3:0] fold;  // low half ^ high half of data
    logic         last;
  } work_t;

  logic in_first;
  first_beat u_in_first (
      .clk_i,
      .rst_i,
      .taken_i(in_valid_i & in_ready_o),
      .last_i (in_i.last),
      .first_o(in_first)
  );

  logic [NumDrops-1:0] reasons;
  always_comb begin
    reasons = '0;
    if (in_i.meta.l4.ports.src_port == '0) reasons[DropNoReplyPort] = 1'b1;
    else if (in_i.length != 14'(RequestBytes)) reasons[DropWrongSize] = 1'b1;
  end

  work_t in_work, work;
  always_comb begin
    in_work.meta = in_i.meta;
    for (int unsigned n = 0; n < 8; n++) begin
      for (int unsigned b = 0; b < NumBytes; b++) in_work.data[n][b] = in_i.data[8*b+n];
    end
    in_work.fold = in_work.data[3:0] ^ in_work.data[7:4];
    in_work.last = in_i.last;
  end

  logic work_valid, work_ready;
  drop_output #(
      .beat_t  (work_t),
      .NumDrops(NumDrops)
  ) u_in (
      .clk_i,
      .rst_i,
      .in_i(in_work),
      .in_valid_i,
      .in_ready_o,
      .in_first_i(in_first),
      .in_next_i(NextUdpTx),
      .in_drop_i(reasons),
      .out_o(work),
      .out_valid_o(work_valid),
      .out_ready_i(work_ready),
      .out_next_o,
      .drop_o,
      .drop_message_o
  );

  // ---- Position in the block, and coefficients of the current shard ----

  beat_index_t beat_q;
  shard_index_t shard_q;
  column_t coefficients_q;

  wire load = work_valid & work_ready;
  wire beat_last = beat_q == beat_index_t'(NumBeats - 1);
  wire shard_first = shard_q == '0;
  wire shard_last = shard_q == shard_index_t'(DataShards - 1);
  shard_index_t shard_d;
  always_comb begin
    shard_d = shard_q;
    if (load & beat_last) shard_d = shard_last ? '0 : shard_q + 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      beat_q <= '0;
      shard_q <= '0;
      coefficients_q <= Generator[0];
    end else begin
      if (load) beat_q <= beat_last ? '0 : beat_q + 1'b1;
      shard_q <= shard_d;
      coefficients_q <= Generator[shard_d];
    end
  end

  // ---- Parity: products, then sums ----

  typedef struct packed {
    beat_index_t place;
    logic        place_last;
    logic        first;       // data shard
    logic        last;        // data shard
  } term_t;
  term_t term_q;
  logic term_valid_q, term_ready;
  packet_meta_t meta_q;  // metadata of the block's first beat

  assign work_ready = ~term_valid_q | term_ready;
  always_ff @(posedge clk_i) begin
    if (load) begin
      term_q <= '{place: beat_q, place_last: beat_last, first: shard_first, last: shard_last};
    end
    if (load & shard_first & beat_q == '0) meta_q <= work.meta;
    if (rst_i) term_valid_q <= 1'b0;
    else if (work_ready) term_valid_q <= work_valid;
  end

  wire step = term_valid_q & term_ready;
  planes_t [ParityShards-1:0] sums;
  for (genvar r = 0; r < ParityShards; r++) begin : gen_row
    rs_parity_row #(
        .NumBytes(NumBytes),
        .Depth   (NumBeats)
    ) u_row (
        .clk_i,
        .load_i(load),
        .data_i(work.data),
        .fold_i(work.fold),
        .multiplier_i(coefficients_q[r]),
        .place_i(term_q.place),
        .first_i(term_q.first),
        .write_i(step),
        .sum_o(sums[r])
    );
  end

  // ---- Reply: the first parity shard as it is computed, later ones from memory ----

  logic later_q;
  row_index_t row_q;  // 0: not sending a later shard
  beat_index_t later_beat_q;
  planes_t [ParityShards-1:0] parity;
  assign parity[0] = sums[0];
  for (genvar r = 1; r < ParityShards; r++) begin : gen_later
    (* ram_style = "distributed" *) logic [8*NumBytes-1:0] ram[NumBeats];
    always_ff @(posedge clk_i) begin
      if (step & term_q.last) ram[term_q.place] <= sums[r];
    end
    assign parity[r] = ram[later_beat_q];
  end

  wire out_free = ~out_valid_o | out_ready_i;
  assign term_ready = ~term_q.last | (out_free & ~later_q);
  wire first_out = step & term_q.last;
  wire first_end = first_out & term_q.place_last;

  wire later_beat_last = later_beat_q == beat_index_t'(NumBeats - 1);
  wire row_last = row_q == row_index_t'(ParityShards - 1);
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      later_q <= 1'b0;
      row_q <= '0;
      later_beat_q <= '0;
    end else if (first_end) begin
      later_q <= ParityShards > 1;
      row_q   <= row_index_t'(ParityShards > 1);
    end else if (later_q & out_free) begin
      later_beat_q <= later_beat_last ? '0 : later_beat_q + 1'b1;
      if (later_beat_last) begin
        later_q <= ~row_last;
        row_q   <= row_last ? '0 : row_q + 1'b1;
      end
    end
  end

  planes_t dual, polynomial;  // in the bases of gf256_pkg
  assign dual = parity[row_q];
  always_comb begin
    polynomial = '0;
    for (int unsigned n = 0; n < 8; n++) begin
      for (int unsigned i = 0; i < 8; i++) if (FromDual[n][i]) polynomial[n] ^= dual[i];
    end
  end

  beat_t reply;
  always_comb begin
    reply.meta = meta_q;
    reply.length = 14'(ReplyBytes);
    reply.kind = $bits(reply.kind)'(bombus_pkg::KindPacket);
    reply.meta.l4.ports.src_port = meta_q.l4.ports.dst_port;
    reply.meta.l4.ports.dst_port = meta_q.l4.ports.src_port;
    reply.last = ParityShards > 1 ? row_last & later_beat_last : term_q.place_last;
    reply.bytes = $bits(reply.bytes)'(NumBytes);
    for (int unsigned b = 0; b < NumBytes; b++) begin
      for (int unsigned n = 0; n < 8; n++) begin
        reply.data[8*b+n] = polynomial[n][b];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (out_free) out_o <= reply;
    if (rst_i) begin
      out_valid_o <= 1'b0;
      event_o <= '0;
    end else begin
      if (out_free) out_valid_o <= first_out | later_q;
      event_o[EventEncoded] <= first_end;
    end
  end

  // Between the first and last beat of a block, the partial sums count as busy.
  assign busy_o = work_valid | beat_q != '0 | ~shard_first | term_valid_q | later_q | out_valid_o;

  `BOMBUS_ASSERT(ShardExists, 32'(shard_q) < DataShards)
  `BOMBUS_ASSERT(RowExists, 32'(row_q) < ParityShards)
  `BOMBUS_ASSERT(BeatExists, 32'(beat_q) < NumBeats && 32'(later_beat_q) < NumBeats)
  `BOMBUS_ASSERT(LastBeatEndsBlock, !load || work.last == (beat_last && shard_last))

endmodule
