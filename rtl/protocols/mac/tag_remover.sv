// SPDX-License-Identifier: Apache-2.0
// Finds the VLAN tag (IEEE 802.1Q) in frames from a MAC port and controls its removal: for each
// beat, it determines which bytes are to be replaced by those 4 positions above, and how many bytes
// remain.
//
// AXI-Stream in, without backpressure. A beat is output when the next one has arrived, or if it is
// the frame's last. A frame that ends inside its tag passes unchanged. The module that uses the
// output shifts the data, in the same LUT as its other operations on them.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
`include "bombus_assert.svh"

module tag_remover
  import bombus_pkg::*;
#(
    parameter  type         tagged_t  = logic,
    parameter  int unsigned DataWidth = 512,
    localparam int unsigned DataBytes = DataWidth / 8
) (
    input logic clk_i,
    input logic rst_i,

    input logic [DataWidth-1:0] data_i,
    input logic [DataBytes-1:0] keep_i,
    input logic                 valid_i,
    input logic                 last_i,
    input logic                 bad_i,

    output tagged_t out_o,
    output logic    valid_o,
    output logic    busy_o    // a frame is in the module
);

  if (DataWidth < 64 || DataWidth != 2 ** $clog2(DataWidth)) begin : gen_bad_width
    $error("tag_remover: DataWidth must be a power of two, at least 64");
  end

  typedef logic [$bits(out_o.bytes)-1:0] count_t;
  typedef logic [$bits(out_o.index)-1:0] index_t;
  localparam int unsigned OffsetWidth = $clog2(DataBytes);
  localparam int unsigned TagBytes = 4;
  localparam int unsigned TagBeat = 12 / DataBytes;  // beat that holds the tag
  localparam int unsigned TagLane = 12 % DataBytes;

  // ---- The beat, and the value at the position of the EtherType ----

  logic [DataWidth-1:0] data_q;
  count_t bytes_q;
  index_t index_q;
  logic valid_q, last_q, bad_q, type_vlan_q, type_ipv4_q;
  logic absorbs;  // this beat absorbs all bytes of the next one
  logic absorbed_q;  // all bytes of this beat were output with the previous one

  // keep_i is contiguous from lane 0 on, so bit n of the count is set if the count is in one of the
  // ranges of numbers with bit n set.
  function automatic count_t count_ones(logic [DataBytes-1:0] keep);
    count_t count;
    count = '0;
    for (int unsigned bit_index = 0; bit_index <= OffsetWidth; bit_index++) begin
      for (
          int unsigned from = 2 ** bit_index; from <= DataBytes; from += 2 ** (bit_index + 1)
      ) begin
        // The count is in the range of 2^bit_index numbers that begins at `from`.
        if (keep[from-1] & ~(from + 2 ** bit_index <= DataBytes & keep[from+2**bit_index-1])) begin
          count[bit_index] = 1'b1;
        end
      end
    end
    return count;
  endfunction

  wire [15:0] type_field = swap16(data_i[TagLane*8+:16]);
  wire tag_is_whole = ~last_i | keep_i[TagLane+TagBytes-1];
  wire output_valid = valid_q & (last_q | valid_i);

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      data_q <= data_i;
      bytes_q <= count_ones(keep_i);
      last_q <= last_i;
      bad_q <= bad_i;
      type_vlan_q <= (type_field == EtherTypeVlan) & tag_is_whole;
      type_ipv4_q <= type_field == EtherTypeIpv4;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_q <= 1'b0;
      index_q <= '0;
      absorbed_q <= 1'b0;
    end else begin
      if (valid_i) valid_q <= 1'b1;
      else if (output_valid) valid_q <= 1'b0;
      if (output_valid) begin
        if (last_q) index_q <= '0;
        else if (~&index_q) index_q <= index_q + 1'b1;
        absorbed_q <= absorbs;
      end
    end
  end

  // ---- The tag ----

  logic at_tag;  // index_q == TagBeat
  if (TagBeat == 0) begin : gen_at_first
    always_ff @(posedge clk_i) begin
      if (rst_i) at_tag <= 1'b1;
      else if (output_valid) at_tag <= last_q;
    end
  end else begin : gen_at_later
    assign at_tag = index_q == index_t'(TagBeat);
  end
  logic ipv4, ipv4_q;
  vlan_t vlan, vlan_q;
  wire vlan_t vlan_now = '{valid: type_vlan_q, tci: swap16(data_q[(TagLane+2)*8+:16])};
  // The inner EtherType follows the tag, in this beat or in the next one.
  logic inner_ipv4;
  if (TagLane + TagBytes + 2 <= DataBytes) begin : gen_inner_here
    assign inner_ipv4 = swap16(data_q[(TagLane+TagBytes)*8+:16]) == EtherTypeIpv4;
  end else begin : gen_inner_next
    assign inner_ipv4 = ~last_q & (swap16(data_i[15:0]) == EtherTypeIpv4);
  end
  assign vlan = at_tag ? vlan_now : vlan_q;
  assign ipv4 = at_tag ? (type_vlan_q ? inner_ipv4 : type_ipv4_q) : ipv4_q;
  always_ff @(posedge clk_i) begin
    if (output_valid & at_tag) begin
      vlan_q <= vlan_now;
      ipv4_q <= ipv4;
    end
    // A frame that ends before its EtherType has no tag and is not IPv4.
    if (rst_i | (output_valid & last_q)) begin
      vlan_q.valid <= 1'b0;
      ipv4_q <= 1'b0;
    end
  end

  // ---- Output ----

  logic shift;  // the bytes from the tag on are shifted
  if (TagBeat == 0) begin : gen_tag_first
    assign shift = vlan.valid;
  end else begin : gen_tag_later
    assign shift = vlan.valid & (index_q >= index_t'(TagBeat));
  end
  assign absorbs = shift & ~last_q & last_i & ~keep_i[TagBytes];

  count_t few_bytes;  // bytes of the next beat, if at most those of a tag
  always_comb begin
    few_bytes = '0;
    for (int unsigned b = 0; b < TagBytes; b++) if (keep_i[b]) few_bytes = count_t'(b + 1);
    out_o.data   = data_q;
    out_o.next   = data_i[TagBytes*8-1:0];
    out_o.shift  = shift;
    out_o.at_tag = at_tag;
    out_o.bytes  = bytes_q;
    if (shift & last_q) out_o.bytes = bytes_q - count_t'(TagBytes);
    if (absorbs) out_o.bytes = count_t'(DataBytes - TagBytes) + few_bytes;
    out_o.index = index_q;
    out_o.store = ~absorbed_q;
    out_o.last = last_q | absorbs;
    out_o.frame_last = last_q;
    out_o.bad = bad_q;
    // The beat count of a very long frame saturates, so its length stays too long.
    out_o.length = {index_q, {OffsetWidth{1'b0}}} + (&index_q ? '0 : 14'(bytes_q));
    out_o.ipv4 = ipv4;
    out_o.vlan = vlan;
  end
  assign valid_o = output_valid;
  assign busy_o  = valid_q | (index_q != '0);

  `BOMBUS_ASSERT(AbsorbedBeatIsLast, !absorbed_q || last_q)

endmodule
