// SPDX-License-Identifier: Apache-2.0
// Flits of the proof of router_virtual_channels. Each contains the channel on which it arrived, and
// whether it arrived after the marked one.
package vc_flit_pkg;

  import noc_pkg::*;
  import legal_traffic_pkg::*;

  parameter int unsigned LocalDepth = 4;  // depth of the buffer at the local output

  typedef struct packed {
    logic lane;
    logic [2:0] source;
  } origin_t;
  typedef struct packed {
    logic last;
    origin_t from;  // input and channel that the flit arrived on
    logic marked;
    logic late;  // it arrived after the marked one
  } beat_t;
  typedef struct packed {
    dir_e dir;
    logic [1:0] x;
    logic [1:0] y;
    beat_t beat;
  } flit_t;

  // Entry of a channel's queue: the flit, and its head.
  typedef struct packed {
    logic [NumDirs-1:0] dir;  // one-hot
    logic last;
    flit_t flit;
  } entry_t;
  // Entry of the buffer at the local output.
  typedef struct packed {
    logic  last;
    flit_t flit;
  } local_entry_t;

  function automatic logic is_good(logic [NumDirs-1:0] ports, int unsigned from, flit_t flit);
    return flit.dir == way_here(flit.x, flit.y) && is_legal(ports, from, flit.x, flit.y);
  endfunction

  function automatic logic same_flit(flit_t a, flit_t b);  // except the direction, which changes
    return a.x == b.x && a.y == b.y && a.beat == b.beat;
  endfunction

endpackage
