// SPDX-License-Identifier: Apache-2.0
// The far end of a gigabit link, for simulation only: frames as AXI-Stream on one side, the bytes
// of GMII on the other (IEEE 802.3-2022, clause 35), at one byte a cycle of 125 MHz.
//
// To the board: preamble, frame, FCS, a gap of 12 bytes. Frames with rx_tuser_i have, in turn, a
// wrong FCS, or a good one and rx_er in one of their first bytes. From the board: preamble and FCS
// are checked and removed; tx_tuser_o marks a frame where they are wrong. A gap below 12 bytes ends
// the simulation. Both directions store whole frames, without limit.
module gmii_link #(
    parameter  int unsigned DataWidth = 64,
    localparam int unsigned NumBytes  = DataWidth / 8
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [DataWidth-1:0] rx_tdata_i,
    input  logic [ NumBytes-1:0] rx_tkeep_i,
    input  logic                 rx_tvalid_i,
    output logic                 rx_tready_o,
    input  logic                 rx_tlast_i,
    input  logic                 rx_tuser_i,
    output logic                 gmii_rx_dv_o,
    output logic                 gmii_rx_er_o,
    output logic [          7:0] gmii_rx_data_o,

    input  logic                 gmii_tx_en_i,
    input  logic [          7:0] gmii_tx_data_i,
    output logic [DataWidth-1:0] tx_tdata_o,
    output logic [ NumBytes-1:0] tx_tkeep_o,
    output logic                 tx_tvalid_o,
    input  logic                 tx_tready_i,
    output logic                 tx_tlast_o,
    output logic                 tx_tuser_o,

    output logic busy_o  // a frame is being sent, or ended less than a gap ago
);

  localparam logic [7:0] Preamble = 8'h55;
  localparam logic [7:0] StartOfFrame = 8'hd5;
  localparam int unsigned PreambleBytes = 7;
  localparam int unsigned FcsBytes = 4;
  localparam int unsigned GapBytes = 12;
  localparam logic [31:0] Polynomial = 32'hedb88320;  // CRC of 802.3, bit 0 first
  localparam logic [31:0] Residue = 32'hdebb20e3;  // CRC register after a frame with its FCS

  typedef struct packed {
    logic bad;
    int unsigned bytes;
  } frame_t;

  function automatic logic [31:0] crc_after(logic [31:0] crc, logic [7:0] data);
    crc_after = crc ^ {24'b0, data};
    for (int unsigned i = 0; i < 8; i++) begin
      crc_after = crc_after[0] ? (crc_after >> 1) ^ Polynomial : crc_after >> 1;
    end
  endfunction

  // To the board
  logic [7:0] to_bytes[$];
  frame_t to_frames[$];
  int unsigned taken_q;  // bytes of the arriving frame
  enum logic [2:0] {
    ToIdle,
    ToPreamble,
    ToData,
    ToFcs,
    ToGap
  } to_q;
  int unsigned to_count_q;
  frame_t to_frame_q;
  logic [31:0] to_crc_q;
  int unsigned num_bad_q;  // bad frames sent before this one
  wire spoils_fcs = to_frame_q.bad & ~num_bad_q[0];
  wire has_error = to_frame_q.bad & num_bad_q[0];
  wire [31:0] error_at = {30'b0, num_bad_q[2:1]};  // byte with rx_er

  assign rx_tready_o = 1'b1;

  always_ff @(posedge clk_i) begin
    gmii_rx_dv_o   <= 1'b0;
    gmii_rx_er_o   <= 1'b0;
    gmii_rx_data_o <= 8'h00;
    if (rx_tvalid_i) begin
      for (int unsigned i = 0; i < NumBytes; i++) begin
        if (rx_tkeep_i[i]) to_bytes.push_back(rx_tdata_i[8*i+:8]);
      end
      taken_q <= rx_tlast_i ? 0 : taken_q + $countones(rx_tkeep_i);
      if (rx_tlast_i) begin
        to_frames.push_back('{bad: rx_tuser_i, bytes: taken_q + $countones(rx_tkeep_i)});
      end
    end
    to_count_q <= to_count_q + 1;
    unique case (to_q)
      ToIdle: begin
        if (to_frames.size() != 0) begin
          to_frame_q <= to_frames.pop_front();
          to_crc_q <= '1;
          to_count_q <= 1;
          to_q <= ToPreamble;
          gmii_rx_dv_o <= 1'b1;
          gmii_rx_data_o <= Preamble;
        end
      end
      ToPreamble: begin
        gmii_rx_dv_o   <= 1'b1;
        gmii_rx_data_o <= to_count_q == PreambleBytes ? StartOfFrame : Preamble;
        if (to_count_q == PreambleBytes) begin
          to_count_q <= 1;
          to_q <= ToData;
        end
      end
      ToData: begin
        gmii_rx_dv_o <= 1'b1;
        gmii_rx_er_o <= has_error && to_count_q - 1 == error_at % to_frame_q.bytes;
        gmii_rx_data_o <= to_bytes[0];
        to_crc_q <= crc_after(to_crc_q, to_bytes.pop_front());
        if (to_count_q == to_frame_q.bytes) begin
          to_count_q <= 0;
          to_q <= ToFcs;
        end
      end
      ToFcs: begin
        gmii_rx_dv_o   <= 1'b1;
        gmii_rx_data_o <= to_crc_q[8*to_count_q[1:0]+:8] ^ (spoils_fcs ? 8'h00 : 8'hff);
        if (to_count_q == FcsBytes - 1) begin
          if (to_frame_q.bad) num_bad_q <= num_bad_q + 1;
          to_count_q <= 1;
          to_q <= ToGap;
        end
      end
      default: if (to_count_q == GapBytes) to_q <= ToIdle;
    endcase
    if (rst_i) begin
      taken_q <= 0;
      num_bad_q <= 0;
      to_q <= ToIdle;
      to_bytes.delete();
      to_frames.delete();
    end
  end

  // From the board
  logic [7:0] from_bytes[$];
  frame_t from_frames[$];
  logic in_frame_q, started_q, wrong_q;
  int unsigned from_count_q, gap_q;
  logic [31:0] from_crc_q;
  int unsigned left_q;  // bytes left of the frame sent to the simulator
  logic bad_q;

  always_ff @(posedge clk_i) begin
    in_frame_q <= gmii_tx_en_i;
    if (gmii_tx_en_i) begin
      if (!in_frame_q) begin
        if (!rst_i && gap_q < GapBytes)
          $error("gmii_link: the board leaves a gap of %0d bytes", gap_q);
        wrong_q <= gmii_tx_data_i != Preamble;
        started_q <= 1'b0;
        from_count_q <= 1;
        from_crc_q <= '1;
      end else if (!started_q) begin
        from_count_q <= from_count_q + 1;
        if (gmii_tx_data_i == StartOfFrame) begin
          if (from_count_q != PreambleBytes) wrong_q <= 1'b1;
          from_count_q <= 0;
          started_q <= 1'b1;
        end else if (gmii_tx_data_i != Preamble) begin
          wrong_q <= 1'b1;
        end
      end else begin
        from_bytes.push_back(gmii_tx_data_i);
        from_count_q <= from_count_q + 1;
        from_crc_q   <= crc_after(from_crc_q, gmii_tx_data_i);
      end
      gap_q <= 0;
    end else begin
      if (gap_q < GapBytes) gap_q <= gap_q + 1;
      if (in_frame_q && started_q) begin
        if (from_count_q > FcsBytes) begin
          for (int unsigned i = 0; i < FcsBytes; i++) void'(from_bytes.pop_back());
          from_frames.push_back('{bad: wrong_q | (from_crc_q != Residue),
                                bytes: from_count_q - FcsBytes});
        end else begin
          for (int unsigned i = 0; i < from_count_q; i++) void'(from_bytes.pop_back());
        end
      end
    end
    // Only whole frames are passed to the simulator.
    if (!tx_tvalid_o || tx_tready_i) begin
      automatic int unsigned left = left_q;
      automatic logic bad = bad_q;
      if (left == 0 && from_frames.size() != 0) begin
        left = from_frames[0].bytes;
        bad  = from_frames[0].bad;
        void'(from_frames.pop_front());
      end
      tx_tvalid_o <= left != 0;
      tx_tlast_o  <= left <= NumBytes;
      tx_tuser_o  <= bad && left <= NumBytes;
      for (int unsigned i = 0; i < NumBytes; i++) begin
        tx_tkeep_o[i] <= i < left;
        tx_tdata_o[8*i+:8] <= i < left ? from_bytes[0] : 8'h00;
        if (i < left) void'(from_bytes.pop_front());
      end
      left_q <= left > NumBytes ? left - NumBytes : 0;
      bad_q  <= bad;
    end
    if (rst_i) begin
      in_frame_q <= 1'b0;
      started_q <= 1'b0;
      gap_q <= GapBytes;
      tx_tvalid_o <= 1'b0;
      left_q <= 0;
      from_bytes.delete();
      from_frames.delete();
    end
  end

  assign busy_o = to_q != ToIdle || to_frames.size() != 0 || taken_q != 0 || gap_q < GapBytes ||
                  tx_tvalid_o || from_frames.size() != 0;

endmodule
