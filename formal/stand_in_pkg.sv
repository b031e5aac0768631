// SPDX-License-Identifier: Apache-2.0
// Replaces multiplication and division in proofs of the core: a function of both operands and of
// the instruction that is cheap for a solver. The core forwards operands and results for any
// function.
package stand_in_pkg;
  import rpu_pkg::*;

  function automatic word_t muldiv(input logic [2:0] funct3, input word_t first,
                                   input word_t second);
    return first ^ {second[30:0], second[31]} ^ {4{5'b10110, funct3}};
  endfunction

endpackage
