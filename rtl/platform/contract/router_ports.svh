// SPDX-License-Identifier: Apache-2.0
// Ports that the routers of all fabrics have. links_t_: one bit per link, or a bit per channel of
// each link. Links are indexed by noc_pkg::dir_e.
//
// x_i, y_i: own position, constant; ports, so that a simulator needs one copy of the module for all
// positions with the same ports. inj_*, ej_*: the local port, injection and ejection. inj_taken_o:
// ready for the offered flit; inj_ready_o: ready for a flit to output n.
`ifndef BOMBUS_ROUTER_PORTS_SVH
`define BOMBUS_ROUTER_PORTS_SVH

`define BOMBUS_ROUTER_PORTS(links_t_) \
    input logic clk_i, \
    input logic rst_i, \
    input logic [7:0] x_i, \
    input logic [7:0] y_i, \
    input flit_t [noc_pkg::NumDirs-1:1] in_i, \
    input links_t_ in_valid_i, \
    output links_t_ in_ready_o, \
    output flit_t [noc_pkg::NumDirs-1:1] out_o, \
    output links_t_ out_valid_o, \
    input links_t_ out_ready_i, \
    input flit_t inj_i, \
    input logic inj_valid_i, \
    output logic inj_taken_o, \
    output logic [noc_pkg::NumDirs-1:0] inj_ready_o, \
    output flit_t ej_o, \
    output logic ej_valid_o, \
    input logic ej_ready_i, \
    output logic busy_o

`endif
