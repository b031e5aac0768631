// SPDX-License-Identifier: Apache-2.0
// A memory with an AXI4 port, for simulation: latency, bandwidth, banks and refresh as
// axi_memory_pkg states them. Words that have never been written read as zero and take no
// memory of the machine.
//
// Bursts: INCR of any size up to the data width; others, and those that pass the end
// of the address space, are answered with SLVERR and have no effect. A write is in
// memory when its response is sent. OutOfOrder: answers of different IDs overtake each
// other, those of one ID never.
//
// Outstanding: MaxReads and MaxWrites; more wait at the address channel.
`include "axi_ports.svh"

module axi_memory
  import axi_memory_pkg::*;
#(
    parameter int unsigned DataWidth = 256,
    parameter int unsigned AddrWidth = 33,
    parameter int unsigned IdWidth = 6,
    parameter int unsigned MaxReads = 64,
    parameter int unsigned MaxWrites = 32,
    parameter bit OutOfOrder = 1'b1,
    parameter timing_t Timing = '0,  // must be set
    localparam int unsigned DataBytes = DataWidth / 8
) (
    input logic clk_i,
    input logic rst_i,

    `BOMBUS_AXI_WRITE_TARGET(axi)
    input logic [2:0] axi_awsize_i,
    input logic [1:0] axi_awburst_i,
    input logic [IdWidth-1:0] axi_awid_i,
    output logic [IdWidth-1:0] axi_bid_o,

    `BOMBUS_AXI_READ_TARGET(axi)
    input logic [2:0] axi_arsize_i,
    input logic [1:0] axi_arburst_i,
    input logic [IdWidth-1:0] axi_arid_i,
    output logic [IdWidth-1:0] axi_rid_o
);

  localparam int unsigned WordShift = $clog2(DataBytes);
  localparam logic [1:0] Incr = 2'b01;
  localparam logic [1:0] Slverr = 2'b10;

  if (DataWidth < 8 || DataBytes != 2 ** WordShift || DataBytes > 128) begin : gen_bad_width
    $error("axi_memory: DataWidth must be a power of two, 8 to 1024");
  end
  if (Timing.read_latency < 1 || Timing.write_latency < 1 || Timing.bandwidth_cycles < 1 ||
      Timing.bandwidth_beats < 1 || Timing.bandwidth_beats > 2 * Timing.bandwidth_cycles ||
      Timing.num_banks < 1 || Timing.bank_bytes < 1) begin : gen_bad_timing
    $error("axi_memory: Timing must be positive, bandwidth at most two beats a cycle");
  end

  typedef logic [AddrWidth-1:0] addr_t;
  typedef logic [AddrWidth-1:0] word_t;
  typedef struct packed {
    logic [IdWidth-1:0] id;
    addr_t addr;  // address of the next beat
    logic [8:0] beats;  // beats left
    logic [2:0] size;
    logic bad;
    longint unsigned due;  // cycle of the first data beat, or of the response
  } burst_t;

  logic [DataWidth-1:0] memory[word_t];
  burst_t reads[$], writes[$], responses[$];
  longint unsigned bank_free[Timing.num_banks];
  longint unsigned now;
  int unsigned credit;  // beats that may be transferred, times bandwidth_cycles
  bit wrote_last;  // the latest beat was a write
  int reading;  // index of the burst being transferred; -1: none

  // Not by ?:, of whose operands a simulator may evaluate both, which creates the word.
  function automatic logic [DataWidth-1:0] stored(word_t word);
    if (memory.exists(word)) return memory[word];
    return '0;
  endfunction

  function automatic burst_t burst(logic [IdWidth-1:0] id, addr_t addr, logic [7:0] len,
                                   logic [2:0] size, logic [1:0] kind);
    logic [AddrWidth:0] last;
    burst_t made;
    last = {1'b0, (addr >> size) << size} + (AddrWidth + 1)'(len) * ((AddrWidth + 1)'(1) << size);
    made.id = id;
    made.addr = addr;
    made.beats = 9'(len) + 1'b1;
    made.size = size;
    made.bad = (kind != Incr) || last[AddrWidth] || (32'(1) << size) > DataBytes;
    made.due = 0;
    return made;
  endfunction

  // When the bank of an address can start; marks it busy from then on.
  function automatic longint unsigned begin_in_bank(addr_t addr);
    longint unsigned start;
    int unsigned bank;
    bank = 32'(addr / addr_t'(Timing.bank_bytes)) % Timing.num_banks;
    start = bank_free[bank] > now ? bank_free[bank] : now;
    bank_free[bank] = start + 64'(Timing.bank_cycles);
    return start;
  endfunction

  function automatic addr_t next_addr(addr_t addr, logic [2:0] size);
    return ((addr >> size) + 1'b1) << size;
  endfunction

  // Chooses a burst that is due and has no older burst of the same ID before it.
  function automatic int choose(ref burst_t queue[$]);
    int found [$];
    bit first;
    for (int n = 0; n < queue.size(); n++) begin
      if (n > 0 && !OutOfOrder) break;
      if (queue[n].due > now + 1) continue;
      first = 1'b1;
      for (int older = 0; older < n; older++) begin
        if (queue[older].id == queue[n].id) first = 1'b0;
      end
      if (first) found.push_back(n);
    end
    if (found.size() == 0) return -1;
    return found[$urandom_range(found.size()-1)];
  endfunction

  function automatic bit is_refreshing();
    if (Timing.refresh_interval == 0) return 1'b0;
    return 32'(now % 64'(Timing.refresh_interval)) >=
        Timing.refresh_interval - Timing.refresh_cycles;
  endfunction

  // One process, so that the steps of a cycle happen in order.
  /* verilator lint_off BLKSEQ */
  always @(posedge clk_i) begin
    automatic burst_t next;
    automatic bit may_move;
    automatic int unsigned needed;
    now = now + 1;
    if (rst_i) begin
      now = 0;
      credit = 0;
      reading = -1;
      reads.delete();
      writes.delete();
      responses.delete();
      for (int unsigned b = 0; b < Timing.num_banks; b++) bank_free[b] = 0;
      axi_awready_o <= 1'b0;
      axi_wready_o  <= 1'b0;
      axi_bvalid_o  <= 1'b0;
      axi_arready_o <= 1'b0;
      axi_rvalid_o  <= 1'b0;
    end else begin
      credit = credit + Timing.bandwidth_beats;
      if (credit > 2 * Timing.bandwidth_cycles) credit = 2 * Timing.bandwidth_cycles;

      if (axi_arvalid_i && axi_arready_o) begin
        next = burst(axi_arid_i, axi_araddr_i, axi_arlen_i, axi_arsize_i, axi_arburst_i);
        next.due = begin_in_bank(axi_araddr_i) + 64'(Timing.read_latency);
        reads.push_back(next);
      end
      if (axi_awvalid_i && axi_awready_o) begin
        writes.push_back(burst(axi_awid_i, axi_awaddr_i, axi_awlen_i, axi_awsize_i, axi_awburst_i));
      end

      if (axi_wvalid_i && axi_wready_o) begin
        next = writes[0];
        if (!next.bad) begin
          automatic word_t word = next.addr >> WordShift;
          automatic logic [DataWidth-1:0] data = stored(word);
          for (int unsigned b = 0; b < DataBytes; b++) begin
            if (axi_wstrb_i[b]) data[8*b+:8] = axi_wdata_i[8*b+:8];
          end
          memory[word] = data;
        end
        next.beats = next.beats - 1'b1;
        if (axi_wlast_i != (next.beats == 0)) begin
          $error("axi_memory: wlast does not agree with awlen");
        end
        if (next.beats == 0) begin
          void'(writes.pop_front());
          next.due = begin_in_bank(next.addr) + 64'(Timing.write_latency);
          responses.push_back(next);
        end else begin
          next.addr = next_addr(next.addr, next.size);
          writes[0] = next;
        end
        credit = credit - Timing.bandwidth_cycles;
        wrote_last = 1'b1;
      end

      may_move = !is_refreshing();

      if (axi_rready_i || !axi_rvalid_o) begin
        axi_rvalid_o <= 1'b0;
        if (reading < 0) reading = choose(reads);
        if (may_move && credit >= Timing.bandwidth_cycles) begin
          if (reading >= 0) begin
            wrote_last = 1'b0;
            next = reads[reading];
            axi_rvalid_o <= 1'b1;
            axi_rid_o <= next.id;
            axi_rresp_o <= next.bad ? Slverr : 2'b00;
            axi_rlast_o <= next.beats == 1;
            axi_rdata_o <= stored(next.addr >> WordShift);
            if (next.bad) axi_rdata_o <= '0;
            next.addr = next_addr(next.addr, next.size);
            next.beats = next.beats - 1'b1;
            reads[reading] = next;
            if (next.beats == 0) begin
              reads.delete(reading);
              reading = -1;
            end
            credit = credit - Timing.bandwidth_cycles;
          end
        end
      end

      if (axi_bready_i || !axi_bvalid_o) begin
        automatic int chosen = choose(responses);
        axi_bvalid_o <= chosen >= 0;
        if (chosen >= 0) begin
          axi_bid_o   <= responses[chosen].id;
          axi_bresp_o <= responses[chosen].bad ? Slverr : 2'b00;
          responses.delete(chosen);
        end
      end

      axi_arready_o <= 32'(reads.size()) < MaxReads;
      axi_awready_o <= 32'(writes.size()) + 32'(responses.size()) < MaxWrites;
      // Uses the next cycle's credit; if both need it, writes and reads alternate.
      needed = reading >= 0 && wrote_last ? 2 * Timing.bandwidth_cycles : Timing.bandwidth_cycles;
      axi_wready_o <= writes.size() != 0 && may_move && credit + Timing.bandwidth_beats >= needed;
    end
  end
  /* verilator lint_on BLKSEQ */

endmodule
