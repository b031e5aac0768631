// SPDX-License-Identifier: Apache-2.0
// One's complement sums of 16-bit words (RFC 1071) without carry chains. Words are reduced to
// three, in redundant form, one LUT deep; a later stage compares or adds these.
//
// A carry out of the top is added at the bottom: sums are modulo 65535, and 65535 represents 0
// unless all words are 0.
package ones_pkg;

  typedef logic [15:0] word_t;
  typedef word_t [2:0] saved_t;  // three words still to be added

  // Counts the ones of each bit position of six words in binary, each digit rotated to its weight.
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

  // Whether the sum is 65535, as for words that include their checksum. save never gives twice
  // 65535, since no bit position of six words can count seven.
  function automatic logic is_ones(saved_t saved);
    word_t [1:0] words;
    words = pair(saved);
    return &(words[0] ^ words[1]);
  endfunction

  function automatic word_t [1:0] pair(saved_t saved);
    return {rotated(majority(saved[0], saved[1], saved[2]), 1), saved[0] ^ saved[1] ^ saved[2]};
  endfunction

  function automatic word_t majority(word_t a, word_t b, word_t c);
    return (a & b) | (a & c) | (b & c);
  endfunction

  function automatic word_t rotated(word_t word, int unsigned amount);
    return (word << amount) | (word >> (16 - amount));
  endfunction

  // ---- From saved_t to a number, in two steps ----

  // A sum before its last carries: the sum of each pair of bits alone, and the carry out of the
  // pair.
  typedef struct packed {
    logic [15:0] pairs;
    logic [7:0]  carries;
  } split_t;

  // Number of words that ones_compressor reduces num_terms words to: half, in groups of up to six,
  // and again for each further level.
  function automatic int unsigned num_sums(int unsigned num_terms, int unsigned levels = 1);
    int unsigned sums, rest;
    sums = num_terms;
    for (int unsigned n = 0; n < levels; n++) begin
      rest = sums % 6;
      sums = sums / 6 * 3 + (rest < 3 ? rest : rest == 3 ? 2 : 3);
    end
    return sums;
  endfunction

  // The pair of bits at this distance below, cyclically.
  function automatic int unsigned below(int unsigned i, int unsigned distance);
    return (i + 8 - distance) % 8;
  endfunction

  function automatic split_t split(logic [15:0] a, logic [15:0] b);
    logic low, propagate;
    split_t sum;
    for (int unsigned i = 0; i < 8; i++) begin
      low = a[2*i] & b[2*i];
      propagate = a[2*i+1] ^ b[2*i+1];
      sum.pairs[2*i] = a[2*i] ^ b[2*i];
      sum.pairs[2*i+1] = propagate ^ low;
      sum.carries[i] = (a[2*i+1] & b[2*i+1]) | (propagate & low);
    end
    return sum;
  endfunction

  function automatic split_t split_saved(saved_t saved);
    word_t [1:0] words;
    words = pair(saved);
    return split(words[0], words[1]);
  endfunction

  // The sum as a number. If all bits are ones before the carries, the result is all ones, or zero
  // with ones_are_zero.
  function automatic logic [15:0] join_up(split_t sum, logic ones_are_zero);
    logic [7:0] carries, propagates;  // over this pair and the one below
    logic beyond, carry;
    logic [15:0] joined;
    for (int unsigned i = 0; i < 8; i++) begin
      carries[i] = sum.carries[below(i, 1)] |
          ((&sum.pairs[2*below(i, 1)+:2]) & sum.carries[below(i, 2)]);
      propagates[i] = (&sum.pairs[2*below(i, 1)+:2]) & (&sum.pairs[2*below(i, 2)+:2]);
    end
    for (int unsigned i = 0; i < 8; i++) begin
      beyond = carries[below(i, 4)] |
          (propagates[below(i, 4)] &
           (carries[below(i, 6)] | (propagates[below(i, 6)] & ones_are_zero)));
      carry = carries[i] |
          (propagates[i] & (carries[below(i, 2)] | (propagates[below(i, 2)] & beyond)));
      joined[2*i] = sum.pairs[2*i] ^ carry;
      joined[2*i+1] = sum.pairs[2*i+1] ^ (sum.pairs[2*i] & carry);
    end
    return joined;
  endfunction

endpackage
