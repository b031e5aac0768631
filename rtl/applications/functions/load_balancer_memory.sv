// SPDX-License-Identifier: Apache-2.0
// The table of connections of a load balancer in an external memory, by an AXI4 port of 512 bits:
// a set of four connections is 64 bytes at BaseAddress + 64 * set.
//
// A view waits for its set to be read; views leave in order, each with its ways. Writes go through
// lines in block RAM, one for several sets, to the memory. A line has the present ways of its set,
// so it takes precedence over what is read. It is replaced only when its last write has been
// answered before the read of the new set was issued: otherwise, or while the queue of writes is
// full, the connection is not stored, which is reported. Its next packet stores it. A write that
// changes nothing is omitted.
//
// All bursts are single beats without ID, so that responses are in order. Errors are ignored: the
// memory needs its own correction.
//
// Latency: a read of the memory and 4 cycles. Throughput: a view per cycle, if the memory has the
// bandwidth for a read of 64 bytes each and MaxReads covers its latency. After reset and after
// clear_i, the memory is cleared, a set per cycle.
module load_balancer_memory
  import axi_line_pkg::*;
  import load_balancer_pkg::*;
#(
    parameter type view_t = logic,
    parameter int unsigned NumWays = 4,
    parameter int unsigned NumSets = 262144,  // a power of two
    parameter int unsigned NumLines = 1024,  // a power of two, below NumSets
    parameter int unsigned MaxReads = 64,  // a power of two, at least 16
    parameter int unsigned AddrWidth = 34,
    parameter logic [63:0] BaseAddress = '0,
    localparam int unsigned SetBits = $clog2(NumSets),
    localparam int unsigned LineBits = $clog2(NumLines),
    localparam int unsigned WayBits = $clog2(NumWays)
) (
    input  logic clk_i,
    input  logic rst_i,
    input  logic clear_i,
    output logic ready_o,  // room for the views of this cycle and of the next two

    input logic view_valid_i,  // without backpressure
    input view_t view_i,
    input logic [SetBits-1:0] set_i,
    input logic reads_i,  // 0: the view needs no connection

    output view_t view_o,
    output logic view_valid_o,
    output connection_t [NumWays-1:0] ways_o,

    // Two cycles after view_valid_o
    input logic write_i,
    input logic [WayBits-1:0] write_way_i,
    input connection_t written_i,
    output logic unstored_o,  // one-cycle pulse

    output axi_request_t  axi_o,
    input  axi_response_t axi_i
);

  if (NumLines < 2 || NumLines >= NumSets) begin : gen_bad_lines
    $error("load_balancer_memory: NumLines must be from 2 to less than NumSets");
  end
  if (MaxReads < 16 || MaxReads != 2 ** $clog2(MaxReads)) begin : gen_bad_reads
    $error("load_balancer_memory: MaxReads must be a power of two, at least 16");
  end

  localparam int unsigned SetBytes = 64;
  localparam int unsigned WayBytes = SetBytes / NumWays;
  localparam int unsigned WriteDepth = 32;
  typedef logic [SetBits-1:0] set_t;
  typedef logic [LineBits-1:0] place_t;
  typedef logic [SetBits-LineBits-1:0] tag_t;
  typedef logic [31:0] number_of_write_t;  // modulo 2^32

  function automatic logic [63:0] address(set_t set);
    return 64'(AddrWidth'(BaseAddress) + AddrWidth'({set, 6'b0}));
  endfunction

  // ---- Reads ----

  number_of_write_t issued_q, done_q;  // writes

  typedef struct packed {
    view_t view;
    set_t set;
    logic reads;
    number_of_write_t done;  // when the read was issued
  } pending_t;
  pending_t pending;
  logic address_valid, pending_valid, unused_pending_ready, unused_pending_holds;
  logic unused_address_ready, unused_address_holds;
  set_t read_set;
  wire  take = pending_valid & (~pending.reads | axi_i.rvalid);
  stream_queue #(
      .data_t(pending_t),
      .Depth (MaxReads)
  ) u_pending (
      .clk_i,
      .rst_i,
      .in_i('{view: view_i, set: set_i, reads: reads_i, done: done_q}),
      .in_valid_i(view_valid_i),
      .in_ready_o(unused_pending_ready),
      .out_o(pending),
      .out_valid_o(pending_valid),
      .out_ready_i(take),
      .holds_o(unused_pending_holds)
  );
  stream_queue #(
      .data_t(set_t),
      .Depth (MaxReads)
  ) u_addresses (
      .clk_i,
      .rst_i,
      .in_i(set_i),
      .in_valid_i(view_valid_i & reads_i),
      .in_ready_o(unused_address_ready),
      .out_o(read_set),
      .out_valid_o(address_valid),
      .out_ready_i(axi_i.arready),
      .holds_o(unused_address_holds)
  );

  // Views inside. Three more may come before ready_o falls.
  logic [$clog2(MaxReads+1)-1:0] inside_q;
  logic clearing_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) inside_q <= '0;
    else inside_q <= inside_q + $bits(inside_q)'(view_valid_i) - $bits(inside_q)'(take);
    ready_o <= ~rst_i & ~clearing_q & ~clear_i & 32'(inside_q) < MaxReads - 4;
  end

  // ---- One cycle later: the ways ----

  typedef struct packed {
    logic valid;
    tag_t tag;
    number_of_write_t number;  // of its last write
  } line_t;
  line_t line, written_line;
  connection_t [NumWays-1:0] line_ways, memory_ways_q, written_ways;
  place_t line_place;
  logic write_line;
  logic [NumWays-1:0] write_ways;
  sized_memory #(
      .data_t(line_t),
      .Depth (NumLines)
  ) u_lines (
      .clk_i,
      .write_addr_i(line_place),
      .data_i(written_line),
      .write_i(write_line),
      .read_addr_i(pending.set[LineBits-1:0]),
      .data_o(line)
  );
  for (genvar w = 0; w < NumWays; w++) begin : gen_way
    sized_memory #(
        .data_t(connection_t),
        .Depth (NumLines)
    ) u_way (
        .clk_i,
        .write_addr_i(line_place),
        .data_i(written_ways[w]),
        .write_i(write_ways[w]),
        .read_addr_i(pending.set[LineBits-1:0]),
        .data_o(line_ways[w])
    );
  end

  // What a view's write needs.
  typedef struct packed {
    set_t set;
    logic in_line;
    logic is_free;  // the line may be replaced
    connection_t [NumWays-1:0] ways;
  } seen_t;
  pending_t taken_q;
  seen_t seen, seen_q, write_q;
  always_ff @(posedge clk_i) begin
    taken_q <= pending;
    view_valid_o <= take & ~rst_i;
    for (int unsigned w = 0; w < NumWays; w++) begin
      memory_ways_q[w] <= connection_t'(axi_i.rdata >> (8 * WayBytes * w));
    end
  end
  wire number_of_write_t since = taken_q.done - line.number;
  assign view_o = taken_q.view;
  assign seen = '{
          set: taken_q.set,
          in_line: line.valid & line.tag == taken_q.set[SetBits-1:LineBits],
          is_free: ~line.valid | (~since[31] & since != '0),
          ways: ways_o
      };
  assign ways_o = seen.in_line ? line_ways : memory_ways_q;
  always_ff @(posedge clk_i) begin
    seen_q  <= seen;
    write_q <= seen_q;
  end

  // ---- Two cycles later: the write ----

  // The lines of the three writes before, which this view has not seen.
  typedef struct packed {
    logic valid;
    set_t set;
  } past_t;
  past_t [2:0] past_q;
  logic in_line, is_free, is_changed, queue_ready;
  always_comb begin
    in_line = write_q.in_line;
    is_free = write_q.is_free;
    is_changed = write_q.ways[write_way_i] != written_i;
    for (int p = 2; p >= 0; p--) begin
      if (past_q[p].valid & past_q[p].set[LineBits-1:0] == write_q.set[LineBits-1:0]) begin
        in_line = past_q[p].set == write_q.set;
        is_free = 1'b0;
        is_changed = 1'b1;
      end
    end
  end
  wire needs_write = write_i & is_changed;
  wire stores = needs_write & (in_line | is_free) & queue_ready & ~clearing_q;
  always_ff @(posedge clk_i) begin
    past_q[2:1] <= past_q[1:0];
    past_q[0]   <= '{valid: stores & ~rst_i, set: write_q.set};
    unstored_o  <= needs_write & ~stores & ~rst_i;
    if (rst_i) issued_q <= '0;
    else if (stores) issued_q <= issued_q + 1'b1;
  end

  set_t clear_q;  // set that is cleared next
  logic all_cleared_q;
  always_comb begin
    line_place   = write_q.set[LineBits-1:0];
    write_line   = stores;
    written_line = '{valid: 1'b1, tag: write_q.set[SetBits-1:LineBits], number: issued_q};
    for (int unsigned w = 0; w < NumWays; w++) begin
      write_ways[w]   = stores & (~in_line | write_way_i == WayBits'(w));
      written_ways[w] = write_way_i == WayBits'(w) ? written_i : write_q.ways[w];
    end
    if (clearing_q) begin
      line_place   = clear_q[LineBits-1:0];
      write_line   = 1'b1;
      written_line = '0;
    end
  end

  typedef struct packed {
    set_t set;
    logic all;  // clear
    logic [WayBits-1:0] way;
    connection_t connection;
  } write_t;
  write_t queued_d, queued;
  logic queued_valid, queued_ready, unused_queue_holds;
  wire clears = clearing_q & ~all_cleared_q;
  assign queued_d = '{
          set: clears ? clear_q : write_q.set,
          all: clears,
          way: write_way_i,
          connection: clears ? '0 : written_i
      };
  stream_queue #(
      .data_t(write_t),
      .Depth (WriteDepth)
  ) u_writes (
      .clk_i,
      .rst_i,
      .in_i(queued_d),
      .in_valid_i(clears | stores),
      .in_ready_o(queue_ready),
      .out_o(queued),
      .out_valid_o(queued_valid),
      .out_ready_i(queued_ready),
      .holds_o(unused_queue_holds)
  );
  // Address and data are taken independently.
  logic address_sent_q, data_sent_q;
  wire address_sent = address_sent_q | axi_i.awready;
  wire data_sent = data_sent_q | axi_i.wready;
  logic [63:0] strobe;
  always_comb begin
    for (int unsigned w = 0; w < NumWays; w++) begin
      strobe[WayBytes*w+:WayBytes] = {WayBytes{queued.all | queued.way == WayBits'(w)}};
    end
  end
  assign queued_ready = address_sent & data_sent;
  assign axi_o = '{
          awaddr: address(queued.set),
          awvalid: queued_valid & ~address_sent_q,
          wdata: {NumWays{(8 * WayBytes)'(queued.connection)}},
          wstrb: strobe,
          wlast: 1'b1,
          wvalid: queued_valid & ~data_sent_q,
          bready: 1'b1,
          araddr: address(read_set),
          arvalid: address_valid,
          rready: pending_valid & pending.reads
      };

  // ---- Clear ----

  // Writes of clearing are no numbered ones; all have been answered when it ends.
  logic [15:0] open_q;  // writes without a response
  wire enters = queue_ready & (clears | stores);
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      address_sent_q <= 1'b0;
      data_sent_q <= 1'b0;
      open_q <= '0;
      done_q <= '0;
      clearing_q <= 1'b1;
      all_cleared_q <= 1'b0;
      clear_q <= '0;
    end else begin
      address_sent_q <= queued_valid & address_sent & ~queued_ready;
      data_sent_q <= queued_valid & data_sent & ~queued_ready;
      open_q <= open_q + 16'(enters) - 16'(axi_i.bvalid);
      // Of the responses, those of the writes before a clear may come first: then too few are done.
      if (axi_i.bvalid & ~clearing_q) done_q <= done_q + 1'b1;
      if (clear_i) begin
        clearing_q <= 1'b1;
        all_cleared_q <= 1'b0;
        clear_q <= '0;
      end else if (clearing_q) begin
        if (clears & queue_ready) begin
          clear_q <= clear_q + 1'b1;
          all_cleared_q <= clear_q == '1;
        end
        if (all_cleared_q & open_q == '0) begin
          clearing_q <= 1'b0;
          done_q <= issued_q;
        end
      end
    end
  end

  wire unused = ^{axi_i.bresp, axi_i.rresp, axi_i.rlast};

endmodule
