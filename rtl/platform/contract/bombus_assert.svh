// SPDX-License-Identifier: Apache-2.0
// Assertions inside modules, for simulation only.
`ifndef BOMBUS_ASSERT_SVH
`define BOMBUS_ASSERT_SVH

// holds_: an expression that is true at every rising edge of clk_i outside reset (rst_i). Its
// failure names the instance and the assertion. Simulators check it with assertions enabled
// (`bombus build --assertions`), but not before or in the reset of a whole model, with which each
// begins. Synthesis and the proofs of formal/, whose readers define SYNTHESIS, remove it.
`ifdef SYNTHESIS
`define BOMBUS_ASSERT(name_, holds_)
`else
`define BOMBUS_ASSERT(name_, holds_) \
  name_ : assert property (@(posedge clk_i) disable iff (rst_i) (holds_)) \
  else $error("%m failed");
`endif

`endif
