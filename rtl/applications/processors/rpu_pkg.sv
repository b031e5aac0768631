// SPDX-License-Identifier: Apache-2.0
// Types of the packet processors' RISC-V core, and of the ports of their accelerators.
package rpu_pkg;

  typedef logic [31:0] word_t;

  // Memory map: the highest four bits of an address.
  localparam logic [3:0] RegionCode = 4'h0;
  localparam logic [3:0] RegionData = 4'h1;
  localparam logic [3:0] RegionBus = 4'h2;

  // Codes of mcause.
  typedef enum logic [3:0] {
    CauseFetchMisaligned = 4'd0,
    CauseFetchFault = 4'd1,
    CauseIllegal = 4'd2,
    CauseBreakpoint = 4'd3,
    CauseLoadMisaligned = 4'd4,
    CauseLoadFault = 4'd5,
    CauseStoreMisaligned = 4'd6,
    CauseStoreFault = 4'd7,
    CauseEcall = 4'd11
  } cause_e;

  // Operations of the logic unit
  typedef enum logic [2:0] {
    LogicNone,    // all zero
    LogicAnd,
    LogicOr,
    LogicXor,
    LogicSecond,  // the second operand
    LogicReverse  // bytes of the first operand in reverse order
  } logic_e;

  // Sources of results other than the ALU
  typedef enum logic [1:0] {
    SpecialNext,  // address of the next instruction
    SpecialSlow,  // product, or CSR
    SpecialQuotient,
    SpecialCustom
  } special_e;

  // A decoded instruction.
  typedef struct packed {
    logic [4:0] rd;
    logic writes_rd;  // and rd is not x0
    logic first_pc;  // the first operand is the PC
    logic second_immediate;
    logic adds;  // the result is the adder's
    logic subtracts;
    logic_e logic_op;
    logic shifts;
    logic left;
    logic arithmetic;
    logic sets_less;
    special_e special;
    logic multiplies;
    logic divides;
    logic is_csr;
    logic is_custom;
    logic is_load;
    logic is_store;
    logic is_branch;
    logic is_jal;
    logic is_jalr;
    logic is_mret;
    logic is_ecall;
    logic is_ebreak;
    logic is_system;  // executes alone
    logic is_illegal;
  } decoded_t;

  // A retired instruction, in the manner of the RISC-V Formal Interface. `trap`: it has not been
  // executed but raised an exception; `interrupted`: an interrupt was taken before it, and it has
  // not been executed either.
  typedef struct packed {
    logic valid;
    logic trap;
    logic interrupted;
    word_t insn;
    word_t pc;
    word_t next_pc;
    word_t rs1_value;
    word_t rs2_value;
    logic [4:0] rd;  // 0: none
    word_t rd_value;
    word_t mem_addr;
    logic [3:0] mem_read;  // bytes, from mem_addr on
    logic [3:0] mem_write;
    word_t mem_wdata;
  } retire_t;

  // How a load takes its bytes from the word; all 0 if there is none.
  typedef struct packed {
    logic loads;
    logic is_word;
    logic is_byte;
    logic lower;  // the second byte is that of the lower half, or of a word
    logic upper;  // or of the upper half
    logic is_signed;
    logic [1:0] place;  // index of the first byte
    logic [1:0] sign_place;  // index of the byte with the sign bit
  } load_t;

  // ---- Descriptors, between rpu_packets and rpu_bus ----

  // A packet for the core.
  typedef struct packed {
    logic [5:0] slot;
    bombus_pkg::length_t length;
    logic [1:0] port;  // MAC port
    logic [6:0] verdict;
  } rx_descriptor_t;

  // A packet to be sent or dropped.
  typedef struct packed {
    logic [5:0] slot;
    bombus_pkg::length_t length;
    logic [1:0] port;  // output MAC port
    logic drop;
  } tx_descriptor_t;

  // ---- Ports of an accelerator ----

  // A stored beat. Its data and its number of bytes are separate ports: their widths depend on the
  // design's.
  typedef struct packed {
    logic valid;
    logic first;
    logic last;
    logic [7:0] slot;
    bombus_pkg::length_t length;  // of the packet in bytes, with its first beat
    logic [127:0] meta;
  } accel_packet_t;

  // The verdict on a packet.
  typedef struct packed {
    logic judges;  // constant 1: each packet waits for its verdict
    logic valid;
    logic [7:0] slot;
    word_t verdict;
  } accel_verdict_t;

  // A load or store of the core, held while the response stalls it.
  typedef struct packed {
    logic valid;
    logic write;
    logic [15:0] addr;
    logic [3:0] bytes;  // of a store
    word_t data;
  } accel_bus_request_t;

  typedef struct packed {
    logic  stall;
    logic  error;  // access fault
    word_t data;
  } accel_bus_response_t;

  // A custom instruction, held while the response stalls it.
  typedef struct packed {
    logic valid;
    logic [9:0] op;  // funct7, funct3: 4 to 7
    word_t first;
    word_t second;
  } accel_custom_request_t;

  typedef struct packed {
    logic  stall;
    word_t result;  // should come from flip-flops
  } accel_custom_response_t;

  // EtherTypes of VLAN tags: IEEE 802.1Q and 802.1ad, and those in use before the latter.
  function automatic logic is_vlan_tag(logic [15:0] ether_type);
    return ether_type inside {16'h8100, 16'h88A8, 16'h9100, 16'h9200, 16'h9300};
  endfunction

endpackage
