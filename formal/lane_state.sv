// What ties the state of a queue_lane to the number of its entries, so that one step
// of induction does; and where the entries stand, the oldest first.
module lane_state #(
    parameter int unsigned Depth = 4,
    localparam type addr_t = logic [$clog2(Depth)-1:0],
    localparam type level_t = logic [$clog2(Depth):0]
) (
    input logic started_i,
    input level_t count_i,  // entries inside, as the proof has counted them
    input level_t level_i,  // the lane's registers
    input logic valid_i,
    input addr_t read_i,
    input addr_t next_i,
    input addr_t write_i,
    output addr_t [Depth:0] place_o
);

  always_comb begin
    for (int unsigned n = 0; n <= Depth; n++) place_o[n] = read_i + addr_t'(n);
    if (started_i) begin
      assert (32'(count_i) <= Depth);
      assert (level_i == count_i);
      assert (valid_i == (count_i != '0));
      assert (next_i == place_o[1]);
      assert (write_i == place_o[0] + addr_t'(count_i));
    end
  end

endmodule
