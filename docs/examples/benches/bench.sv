// SPDX-License-Identifier: Apache-2.0
// Sends the design `first` an ARP request and a UDP datagram, and checks what it answers.
module bench;
  localparam logic [47:0] OurMac = 48'h02_00_00_00_00_99;
  localparam logic [47:0] ItsMac = 48'h02_b0_0b_05_00_01;
  localparam logic [31:0] OurIp = {8'd10, 8'd77, 8'd0, 8'd1};
  localparam logic [31:0] ItsIp = {8'd10, 8'd77, 8'd0, 8'd2};
  localparam string Text = "hello bees";

  logic clk = 1'b0;
  logic rst = 1'b1;
  always #2.5 clk = ~clk;  // 200 MHz

  logic [63:0] rx_data, tx_data;
  logic [7:0] rx_keep, tx_keep;
  logic rx_valid, rx_ready, rx_last, tx_valid, tx_last;

  first_top u_first (
      .clk_i(clk),
      .rst_i(rst),
      .tick_us_i('0),  // no timer runs
      .reg_valid_i(1'b0),
      .reg_write_i(1'b0),
      .reg_addr_i('0),
      .reg_wdata_i('0),
      .reg_ready_o(),
      .reg_rdata_o(),
      .mac0_rx_tdata_i(rx_data),
      .mac0_rx_tkeep_i(rx_keep),
      .mac0_rx_tvalid_i(rx_valid),
      .mac0_rx_tready_o(rx_ready),
      .mac0_rx_tlast_i(rx_last),
      .mac0_rx_tuser_i(1'b0),
      .mac0_tx_tdata_o(tx_data),
      .mac0_tx_tkeep_o(tx_keep),
      .mac0_tx_tvalid_o(tx_valid),
      .mac0_tx_tready_i(1'b1),
      .mac0_tx_tlast_o(tx_last),
      .in_flight_o(),
      .busy_o()
  );

  typedef logic [7:0] bytes_t[$];

  // Eight bytes per beat, the first one in the low bits; inputs change at the falling edge.
  task automatic send(bytes_t frame);
    @(negedge clk);
    while (frame.size() > 0) begin
      rx_keep = '0;
      for (int n = 0; n < 8 && frame.size() > 0; n++) begin
        rx_data[8*n+:8] = frame.pop_front();
        rx_keep[n] = 1'b1;
      end
      rx_valid = 1'b1;
      rx_last  = frame.size() == 0;
      do @(posedge clk); while (!rx_ready);
      @(negedge clk);
    end
    rx_valid = 1'b0;
  endtask

  task automatic receive(output bytes_t frame);
    frame = {};
    do begin
      do @(posedge clk); while (!tx_valid);
      for (int n = 0; n < 8; n++) if (tx_keep[n]) frame.push_back(tx_data[8*n+:8]);
    end while (!tx_last);
  endtask

  // The last `width` bits of a header, as bytes.
  function automatic bytes_t bytes_of(logic [511:0] bits, int width);
    bytes_of = {};
    for (int n = width - 8; n >= 0; n -= 8) bytes_of.push_back(bits[n+:8]);
  endfunction

  localparam logic [335:0] ArpRequest = {
    {48'hff_ff_ff_ff_ff_ff, OurMac, 16'h0806},
    {16'd1, 16'h0800, 8'd6, 8'd4, 16'd1, OurMac, OurIp, 48'h0, ItsIp}
  };
  // IPv4 header checksum in its place, UDP without checksum
  localparam logic [335:0] UdpHeaders = {
    {ItsMac, OurMac, 16'h0800},
    {16'h4500, 16'd38, 32'h0, 8'd64, 8'd17, 16'h662b, OurIp, ItsIp},
    {16'd50000, 16'd7, 16'd18, 16'd0}
  };

  bytes_t request, reply;
  string answer;

  initial begin
    rx_valid = 1'b0;
    repeat (4) @(negedge clk);
    rst = 1'b0;

    receive(reply);  // the design announces its address
    send(bytes_of(512'(ArpRequest), $bits(ArpRequest)));
    receive(reply);
    if ({reply[20], reply[21]} != 16'd2) $fatal(1, "no ARP reply");

    request = bytes_of(512'(UdpHeaders), $bits(UdpHeaders));
    for (int n = 0; n < Text.len(); n++) request.push_back(Text[n]);
    send(request);
    receive(reply);
    answer = "";
    for (int n = 0; n < Text.len(); n++) answer = {answer, string'(reply[42+n])};
    if (answer != Text) $fatal(1, "the reply is wrong: %s", answer);
    $display("UDP echo from port %0d: %s", {reply[34], reply[35]}, answer);
    $finish;
  end

  initial begin
    #100_000;
    $fatal(1, "no reply");
  end
endmodule
