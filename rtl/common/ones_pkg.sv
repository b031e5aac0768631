// SPDX-License-Identifier: Apache-2.0
// One's complement sums of 16-bit words (RFC 1071) without carry chains. Words are added up
// to three, in redundant form, one LUT deep; a later stage compares or folds these.
//
// A carry out of the top comes back in at the bottom: sums are modulo 65535, 65535 stands
// for 0 except where all words are 0.
package ones_pkg;

  typedef logic [15:0] word_t;
  typedef word_t [2:0] saved_t;  // what has to be added still

  // How often a place of six words is one, in binary, each digit moved to its weight.
  function automatic saved_t save(word_t [5:0] words);
    word_t low_sum, low_carry, high_sum, high_carry, carry, twos, fours;
    low_sum = words[0] ^ words[1] ^ words[2];
    low_carry = majority(words[0], words[1], words[2]);
    high_sum = words[3] ^ words[4] ^ words[5];
    high_carry = majority(words[3], words[4], words[5]);
    carry = low_sum & high_sum;
    twos = low_carry ^ high_carry ^ carry;
    fours = majority(low_carry, high_carry, carry);
    return {rotated(fours, 2), rotated(twos, 1), low_sum ^ high_sum};
  endfunction

  // The sum is 65535, as that of words with their checksum. Twice 65535 does not come out of
  // save: no place of six words counts seven.
  function automatic logic is_ones(saved_t saved);
    word_t [1:0] words;
    words = pair(saved);
    return &(words[0] ^ words[1]);
  endfunction

  // The sum in one word. Carries are looked ahead around the whole word.
  function automatic word_t fold(saved_t saved);
    word_t [1:0] words;
    word_t generates, propagates;
    words = pair(saved);
    generates = words[0] & words[1];
    propagates = words[0] ^ words[1];
    for (int unsigned reach = 1; reach < 16; reach *= 2) begin
      generates |= propagates & rotated(generates, reach);
      propagates &= rotated(propagates, reach);
    end
    return words[0] ^ words[1] ^ rotated(generates, 1);
  endfunction

  function automatic word_t [1:0] pair(saved_t saved);
    return {rotated(majority(saved[0], saved[1], saved[2]), 1), saved[0] ^ saved[1] ^ saved[2]};
  endfunction

  function automatic word_t majority(word_t a, word_t b, word_t c);
    return (a & b) | (a & c) | (b & c);
  endfunction

  function automatic word_t rotated(word_t word, int unsigned places);
    return (word << places) | (word >> (16 - places));
  endfunction

endpackage
