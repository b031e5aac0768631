// SPDX-License-Identifier: Apache-2.0
// Flows of which the stack has sent a packet within IdleS seconds, and whether a received packet
// belongs to one of them.
//
// Flows are in the four ways of a set that a keyed hash selects. If no way is free, the flow that
// was reported least recently is replaced. Times are in units of 2^20 us. A sweep removes expired
// flows, one set per microsecond, before their times wrap around (71 minutes).
//
// A report takes effect 5 cycles later; a change of the secret empties the table.
//
// Latency: established_o 3 cycles after the key. Throughput: a key per cycle, a report per cycle,
// one in 3 cycles of the same set. After reset the table is cleared, with flow_ready_o low.
module acl_flows
  import acl_pkg::*;
#(
    parameter int unsigned NumFlows = 2048,  // a power of two, at least 64
    parameter int unsigned IdleS = 300  // 1 to 2000
) (
    input logic        clk_i,
    input logic        rst_i,
    input logic [31:0] time_us_i,
    input logic [47:0] secret_i,

    input  key_t key_i,         // of a packet, in any cycle
    output logic established_o,

    input  acl_flow_meta_t flow_i,
    input  logic           flow_valid_i,
    output logic           flow_ready_o,

    output logic [2:0] event_o,  // flow established, evicted, expired
    output logic       busy_o
);

  if (NumFlows < 64 || NumFlows != 2 ** $clog2(NumFlows)) begin : gen_bad_flows
    $error("acl: NumFlows must be a power of two, at least 64");
  end
  if (IdleS < 1 || IdleS > 2000) begin : gen_bad_idle
    $error("acl: IdleS must be 1 to 2000");
  end

  localparam int unsigned UnitShift = 20;
  // Both the report and its repetition may be at the end of a unit.
  localparam int unsigned IdleUnits = (IdleS * 1_000_000 + 2 ** UnitShift - 1) / 2 ** UnitShift + 1;
  localparam int unsigned NumWays = 4;
  localparam int unsigned NumSets = NumFlows / NumWays;
  typedef logic [$clog2(NumSets)-1:0] set_t;
  typedef logic [$clog2(NumWays)-1:0] way_t;
  typedef logic [31-UnitShift:0] stamp_t;
  typedef struct packed {
    logic valid;
    stamp_t seen;
    acl_flow_meta_t flow;
  } entry_t;

  wire stamp_t now = time_us_i[31:UnitShift];
  wire [$bits(acl_flow_meta_t)-1:0] seed = $bits(acl_flow_meta_t)'({secret_i, ~secret_i, secret_i});
  function automatic logic is_expired(entry_t entry, stamp_t at);
    return entry.valid & stamp_t'(at - entry.seen) >= stamp_t'(IdleUnits);
  endfunction

  // ---- Received packets ----

  acl_flow_meta_t looked_q, compared_q;
  logic looked_has_ports_q, compared_has_ports_q;
  set_t looked_set, report_set, write_set;
  entry_t [NumWays-1:0] looked, reported;
  logic [NumWays-1:0] write, is_hit;
  entry_t written;
  logic   clearing_q;
  keyed_hash #(
      .DataWidth($bits(acl_flow_meta_t)),
      .HashWidth($bits(set_t))
  ) u_looked_hash (
      .data_i(looked_q),
      .seed_i(seed),
      .hash_o(looked_set)
  );
  always_comb begin
    for (int unsigned w = 0; w < NumWays; w++) begin
      is_hit[w] = looked[w].valid & ~is_expired(looked[w], now) & looked[w].flow == compared_q;
    end
  end
  always_ff @(posedge clk_i) begin
    looked_q <= '{
        peer: key_i.source,
        host: key_i.destination,
        peer_port: key_i.source_port,
        host_port: key_i.destination_port,
        protocol: key_i.protocol
    };
    looked_has_ports_q <= key_i.state.has_ports;
    compared_q <= looked_q;
    compared_has_ports_q <= looked_has_ports_q;
    established_o <= |is_hit & compared_has_ports_q & ~clearing_q;
  end

  // ---- Reports, and the sweep when there is none ----

  typedef struct packed {
    logic valid;
    logic sweeps;
    set_t set;
    acl_flow_meta_t flow;
  } report_t;
  report_t hashed_q, read_q, chosen_q;
  logic report_valid_q, time_q, sweep_pending_q;
  acl_flow_meta_t report_q;
  set_t sweep_q;
  keyed_hash #(
      .DataWidth($bits(acl_flow_meta_t)),
      .HashWidth($bits(set_t))
  ) u_report_hash (
      .data_i(report_q),
      .seed_i(seed),
      .hash_o(report_set)
  );
  // A set is read after the writes to it.
  wire waits = (read_q.valid & read_q.set == hashed_q.set) |
      (chosen_q.valid & chosen_q.set == hashed_q.set);
  wire advances = ~(hashed_q.valid & waits);
  assign flow_ready_o = ~clearing_q & (~report_valid_q | advances);

  // By way: the flow, a free one, and which of two was reported before.
  logic [NumWays-1:0] is_same, is_free, expired, same_q, free_q, expired_q;
  logic [NumWays-1:0][NumWays-1:0] is_older, older_q;
  always_comb begin
    for (int unsigned w = 0; w < NumWays; w++) begin
      expired[w] = is_expired(reported[w], now);
      is_free[w] = ~reported[w].valid | expired[w];
      is_same[w] = reported[w].valid & reported[w].flow == read_q.flow;
    end
    for (int unsigned a = 0; a < NumWays; a++) begin
      for (int unsigned b = 0; b < NumWays; b++) begin
        is_older[a][b] = stamp_t'(now - reported[a].seen) > stamp_t'(now - reported[b].seen);
      end
    end
  end

  logic [NumWays-1:0] first_free, oldest, chosen;
  always_comb begin
    first_free = free_q & (~free_q + 1'b1);
    for (int unsigned w = 0; w < NumWays; w++) begin
      oldest[w] = 1'b1;
      for (int unsigned other = 0; other < NumWays; other++) begin
        if (other < w && !older_q[w][other]) oldest[w] = 1'b0;
        if (other > w && older_q[other][w]) oldest[w] = 1'b0;
      end
    end
    chosen = |same_q ? same_q : |free_q ? first_free : oldest;
  end

  set_t clear_q;
  logic [47:0] secret_q;
  assign write_set = clearing_q ? clear_q : chosen_q.set;
  assign write = clearing_q ? '1 : ~chosen_q.valid ? '0 : chosen_q.sweeps ? expired_q : chosen;
  assign written = clearing_q | chosen_q.sweeps ? '0 : '{
          valid: 1'b1,
          seen: now,
          flow : chosen_q.flow
      };
  // A way for packets, and one for reports.
  for (genvar w = 0; w < NumWays; w++) begin : gen_way
    sized_memory #(
        .data_t(entry_t),
        .Depth (NumSets)
    ) u_looked (
        .clk_i,
        .write_addr_i(write_set),
        .data_i(written),
        .write_i(write[w]),
        .read_addr_i(looked_set),
        .data_o(looked[w])
    );
    sized_memory #(
        .data_t(entry_t),
        .Depth (NumSets)
    ) u_reported (
        .clk_i,
        .write_addr_i(write_set),
        .data_i(written),
        .write_i(write[w]),
        .read_addr_i(hashed_q.set),
        .data_o(reported[w])
    );
  end

  wire sweeps = sweep_pending_q & ~report_valid_q & advances;
  always_ff @(posedge clk_i) begin
    if (flow_valid_i & flow_ready_o) report_q <= flow_i;
    if (advances) begin
      hashed_q.set <= report_valid_q ? report_set : sweep_q;
      hashed_q.flow <= report_q;
      hashed_q.sweeps <= ~report_valid_q;
    end
    read_q <= hashed_q;
    chosen_q <= read_q;
    same_q <= is_same;
    free_q <= is_free;
    expired_q <= expired;
    older_q <= is_older;
    time_q <= time_us_i[0];
    secret_q <= secret_i;
    event_o <= {
      chosen_q.sweeps & |expired_q,
      ~chosen_q.sweeps & ~|same_q & ~|free_q,
      ~chosen_q.sweeps & ~|same_q
    } & {3{chosen_q.valid & ~clearing_q}};
    report_valid_q <= (flow_valid_i & flow_ready_o) | (report_valid_q & ~advances);
    if (advances) hashed_q.valid <= report_valid_q | sweeps;
    read_q.valid <= hashed_q.valid & advances;
    sweep_pending_q <= (sweep_pending_q & ~sweeps) | time_q != time_us_i[0];
    if (sweeps) sweep_q <= sweep_q + 1'b1;
    if (clearing_q) begin
      clear_q <= clear_q + 1'b1;
      clearing_q <= clear_q != '1;
    end
    if (secret_q != secret_i) begin
      clear_q <= '0;
      clearing_q <= 1'b1;
    end
    if (rst_i) begin
      report_valid_q <= 1'b0;
      hashed_q.valid <= 1'b0;
      read_q.valid <= 1'b0;
      chosen_q.valid <= 1'b0;
      sweep_pending_q <= 1'b0;
      sweep_q <= '0;
      clear_q <= '0;
      clearing_q <= 1'b1;
      secret_q <= '0;
      event_o <= '0;
    end
  end
  assign busy_o = clearing_q | report_valid_q | (hashed_q.valid & ~hashed_q.sweeps) |
      (read_q.valid & ~read_q.sweeps) | (chosen_q.valid & ~chosen_q.sweeps);

endmodule
