// SPDX-License-Identifier: Apache-2.0
// memory_buffer with other queues, bursts, banks and slots, side by side, each before a memory that
// stalls by chance. Status: a burst broke a rule.
`include "bombus_types.svh"
`include "bench.svh"

module buffer_with_memory #(
    parameter int unsigned Slots = 2,
    parameter int unsigned BurstBeats = 2,
    parameter int unsigned BankBytes = 1024,
    parameter int unsigned WriteBeats = 0,
    parameter int unsigned ReadBeats = 0,
    parameter logic [63:0] BaseAddress = '0,
    parameter int unsigned MostOfEight = 4,  // chance that a channel is ready
    localparam int unsigned BeatBits = bench_pkg::beat_bits(64)
) (
    input logic clk_i,
    input logic rst_i,
    input logic [BeatBits-1:0] item_i,
    input logic in_valid_i,
    output logic in_ready_o,
    output logic [BeatBits-1:0] item_o,
    output logic out_valid_o,
    input logic out_ready_i,
    output logic busy_o,
    output logic wrong_o
);

  `BOMBUS_BEAT_T(beat_t, 64)

  logic [31:0] aw_addr, ar_addr;
  logic [7:0] aw_len, ar_len;
  logic aw_valid, aw_ready, w_last, w_valid, w_ready, b_valid, b_ready, ar_valid, ar_ready;
  logic r_valid, r_ready;
  logic [63:0] w_data, r_data;
  beat_t out;
  assign item_o = out;
  memory_buffer #(
      .beat_t(beat_t),
      .DataWidth(64),
      .BaseAddress(BaseAddress),
      .Slots(Slots),
      .BurstBeats(BurstBeats),
      .BankBytes(BankBytes),
      .WriteBeats(WriteBeats),
      .ReadBeats(ReadBeats)
  ) u_buffer (
      .clk_i,
      .rst_i,
      .in_i(beat_t'(item_i)),
      .in_valid_i,
      .in_ready_o,
      .out_o(out),
      .out_valid_o,
      .out_ready_i,
      .axi_awaddr_o(aw_addr),
      .axi_awlen_o(aw_len),
      .axi_awsize_o(),
      .axi_awburst_o(),
      .axi_awvalid_o(aw_valid),
      .axi_awready_i(aw_ready),
      .axi_wdata_o(w_data),
      .axi_wstrb_o(),
      .axi_wlast_o(w_last),
      .axi_wvalid_o(w_valid),
      .axi_wready_i(w_ready),
      .axi_bresp_i('0),
      .axi_bvalid_i(b_valid),
      .axi_bready_o(b_ready),
      .axi_araddr_o(ar_addr),
      .axi_arlen_o(ar_len),
      .axi_arsize_o(),
      .axi_arburst_o(),
      .axi_arvalid_o(ar_valid),
      .axi_arready_i(ar_ready),
      .axi_rdata_i(r_data),
      .axi_rresp_i('0),
      .axi_rlast_i(1'b0),
      .axi_rvalid_i(r_valid),
      .axi_rready_o(r_ready),
      .fill_o(),
      .event_o(),
      .busy_o
  );

  // What waits is done in order. A write is in the memory before its response.
  localparam int unsigned Words = Slots * 2048;
  logic [63:0] memory[Words];
  typedef struct packed {
    logic [31:0] addr;
    logic [7:0]  len;
  } burst_t;
  burst_t writes[$], reads[$];
  logic [64:0] data[$];
  int unsigned answers, place, read_place;
  logic r_valid_q;
  function automatic logic chance();
    return $urandom_range(7) < MostOfEight;
  endfunction
  function automatic logic bad(burst_t burst);
    logic [31:0] from = burst.addr - 32'(BaseAddress);
    logic [31:0] last = burst.addr + 8 * 32'(burst.len);
    return from[2:0] != '0 || from >= 8 * Words || burst.addr[31:12] != last[31:12] ||
        32'(burst.len) >= BurstBeats;
  endfunction
  assign r_valid = r_valid_q;
  always_ff @(posedge clk_i) begin
    aw_ready <= chance();
    w_ready  <= chance();
    ar_ready <= chance();
    b_valid  <= 1'b0;
    if (aw_valid && aw_ready) begin
      writes.push_back('{aw_addr, aw_len});
      if (bad('{aw_addr, aw_len})) wrong_o <= 1'b1;
    end
    if (w_valid && w_ready) data.push_back({w_last, w_data});
    if (writes.size() != 0 && data.size() != 0 && chance()) begin
      memory[((writes[0].addr-32'(BaseAddress))>>3)+place] <= data[0][63:0];
      if (data[0][64] != (place == 32'(writes[0].len))) wrong_o <= 1'b1;
      if (place == 32'(writes[0].len)) begin
        place   <= 0;
        answers <= answers + 1;
        void'(writes.pop_front());
      end else place <= place + 1;
      void'(data.pop_front());
    end else if (answers != 0 && chance()) begin
      b_valid <= 1'b1;
      answers <= answers - 1;
    end
    if (ar_valid && ar_ready) begin
      reads.push_back('{ar_addr, ar_len});
      if (bad('{ar_addr, ar_len})) wrong_o <= 1'b1;
    end
    if (!r_valid_q || r_ready) begin
      r_valid_q <= 1'b0;
      if (reads.size() != 0 && chance()) begin
        r_valid_q <= 1'b1;
        r_data <= memory[((reads[0].addr-32'(BaseAddress))>>3)+read_place];
        if (read_place == 32'(reads[0].len)) begin
          read_place <= 0;
          void'(reads.pop_front());
        end else read_place <= read_place + 1;
      end
    end
    if (rst_i) begin
      writes.delete();
      reads.delete();
      data.delete();
      answers <= 0;
      place <= 0;
      read_place <= 0;
      r_valid_q <= 1'b0;
      b_valid <= 1'b0;
      wrong_o <= 1'b0;
    end
  end

endmodule

module bench #(
    localparam int unsigned BeatBits = bench_pkg::beat_bits(64)
) (
    `BENCH_PORTS(6, BeatBits, 6, BeatBits, 1, 12)
);

  `BENCH_SHAPE

  for (genvar n = 0; n < 6; n++) begin : gen_kind
    logic [BeatBits-1:0] item;
    buffer_with_memory #(
        .Slots(n == 0 ? 2 : n == 5 ? 4096 : 4 << n),
        .BurstBeats(n == 0 ? 2 : n == 1 ? 256 : 16),
        .BankBytes(n == 0 ? 1 : n == 1 ? 4096 : n == 2 ? 16384 : n == 3 ? 65536 : 256),
        .WriteBeats(n == 0 ? 0 : n == 1 ? 4 : n == 2 ? 64 : 128),
        .ReadBeats(n == 0 ? 0 : n == 1 ? 128 : n == 2 ? 4 : 512),
        .BaseAddress(n == 3 ? 64'h4000 : n == 4 ? 64'hFFF0_0000 : '0),
        .MostOfEight(n < 3 ? 4 : 7)
    ) u_both (
        .clk_i,
        .rst_i,
        .item_i(in_i[n][BeatBits-1:0]),
        .in_valid_i(in_valid_i[n]),
        .in_ready_o(in_ready_o[n]),
        .item_o(item),
        .out_valid_o(out_valid_o[n]),
        .out_ready_i(out_ready_i[n]),
        .busy_o(status_o[n]),
        .wrong_o(status_o[6+n])
    );
    assign out_o[n] = $bits(out_o[n])'(item);
  end

  wire unused = control_i;
  assign event_o = '0;

endmodule
