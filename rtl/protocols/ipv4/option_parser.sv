// SPDX-License-Identifier: Apache-2.0
// Checks IPv4 options (RFC 791, RFC 1122 3.2.1.8), one byte per cycle.
//
// Reports an option with a length below 2 or beyond the end of the header, and a loose or strict
// source route with hops left. The content of other options does not concern a host. The results
// hold until clear_i.
module option_parser (
    input logic clk_i,

    input logic       clear_i,  // before the first byte
    input logic [7:0] byte_i,
    input logic       valid_i,

    output logic malformed_o,    // after the last byte
    output logic source_route_o
);

  localparam logic [7:0] EndOfList = 8'd0;
  localparam logic [7:0] NoOperation = 8'd1;
  localparam logic [7:0] LooseRoute = 8'd131;
  localparam logic [7:0] StrictRoute = 8'd137;

  typedef enum logic [2:0] {
    StateType,
    StateLength,
    StatePointer,   // pointer of a source route
    StateData,
    StateEnd,
    StateMalformed
  } state_e;
  state_e state_q;
  logic is_route_q;
  logic [7:0] length_q;
  logic [7:0] left_q;  // remaining bytes of the option, this one included

  assign malformed_o = (state_q != StateType) & (state_q != StateEnd);

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      state_q <= StateType;
      source_route_o <= 1'b0;
    end else if (valid_i) begin
      left_q <= left_q - 1'b1;
      case (state_q)
        StateType: begin
          is_route_q <= (byte_i == LooseRoute) | (byte_i == StrictRoute);
          if (byte_i == EndOfList) state_q <= StateEnd;
          else if (byte_i != NoOperation) state_q <= StateLength;
        end
        StateLength: begin
          length_q <= byte_i;
          left_q   <= byte_i - 8'd2;
          if (byte_i < 8'd2) state_q <= StateMalformed;
          else if (byte_i == 8'd2) state_q <= is_route_q ? StateMalformed : StateType;
          else state_q <= is_route_q ? StatePointer : StateData;
        end
        StatePointer, StateData: begin
          if ((state_q == StatePointer) & (byte_i <= length_q)) source_route_o <= 1'b1;
          state_q <= (left_q == 8'd1) ? StateType : StateData;
        end
        default: ;
      endcase
    end
  end

endmodule
