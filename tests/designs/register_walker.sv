// SPDX-License-Identifier: Apache-2.0
// A master of registers: while enabled, it writes random values to random entries of a table of 16
// words, reads them back, and reads addresses that are unused. Requests follow each other at
// random distances, also without any; responses wait at random.
module register_walker #(
    parameter type regs_t = logic,
    parameter type status_t = logic,
    parameter type own_t = logic,
    parameter type port_t = logic,
    parameter logic [31:0] Seed = 32'd1
) (
    input logic clk_i,
    input logic rst_i,

    output bombus_pkg::register_request_t register_request_o,
    output logic register_request_valid_o,
    input logic register_request_ready_i,
    input logic [31:0] register_response_i,
    input logic register_response_valid_i,
    output logic register_response_ready_o,

    input regs_t regs_i,
    output status_t status_o,
    output logic [3:0] own_index_o,
    input own_t own_i,
    output logic [3:0] port_index_o,
    input port_t port_i,

    output logic [3:0] event_o,
    output logic busy_o
);

  localparam string Entry = "";
  typedef enum logic [2:0] {
    EventWrite,
    EventRead,
    EventUnused,
    EventWrong,
    NumEvents
  } event_e;

  logic [31:0] random_q, random;
  always_comb begin  // xorshift
    random = random_q ^ random_q << 13;
    random = random ^ random >> 17;
    random = random ^ random << 5;
  end

  typedef enum logic [1:0] {
    Idle,
    Request,
    Response
  } state_e;
  state_e state_q;
  bombus_pkg::register_request_t request_q;
  logic unused_q;  // the address of the read is that of no register
  logic [15:0][31:0] written_q;  // what the table should hold

  assign status_o.seen.bits = regs_i.secret.bits;

  assign register_request_o = request_q;
  assign register_request_valid_o = state_q == Request;
  assign register_response_ready_o = state_q == Response & random_q[31];
  wire taken = register_request_valid_o & register_request_ready_i;
  wire received = register_response_valid_i & register_response_ready_o;
  wire done = (taken & request_q.write) | received;
  wire on = regs_i.target.enable | request_q.more;
  wire starts = on & (state_q == Idle | done) & (random_q[30:29] != '0);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      random_q <= Seed;
      state_q <= Idle;
      written_q <= '0;
      request_q.more <= 1'b0;
    end else begin
      random_q <= random;
      if (starts) state_q <= Request;
      else if (done) state_q <= Idle;
      else if (taken) state_q <= Response;
      if (taken & request_q.write) written_q[request_q.address[5:2]] <= request_q.wdata;
    end
    if (starts & ~rst_i) begin
      request_q.more <= random_q[27];
      unused_q <= random_q[4:0] == '0;
      request_q.write <= random_q[28] & random_q[4:0] != '0;
      request_q.address <= random_q[4:0] == '0 ? {random_q[31:2] | 30'h200_0000, 2'b0}
          : regs_i.target.address + {26'b0, random_q[8:5], 2'b0};
      request_q.wdata <= random_q;
    end
  end

  wire [31:0] expected = unused_q ? '0 : written_q[request_q.address[5:2]];
  // In the order of event_e, the first one lowest
  assign event_o = {
    received & register_response_i != expected | register_response_valid_i & state_q != Response,
    received & unused_q,
    received & ~unused_q,
    taken & request_q.write
  };
  assign busy_o = on | state_q != Idle;

  assign own_index_o = '0;
  assign port_index_o = '0;
  wire unused = ^{own_i, port_i};

endmodule
