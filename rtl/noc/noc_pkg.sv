// Directions of a mesh router, and how a network interface chooses between the
// replicas of a tile. x grows to the east, y grows to the south.
package noc_pkg;

  parameter int unsigned NumDirs = 5;

  typedef enum logic [2:0] {
    DirLocal = 3'd0,
    DirNorth = 3'd1,
    DirEast  = 3'd2,
    DirSouth = 3'd3,
    DirWest  = 3'd4
  } dir_e;

  // How the next replica is chosen.
  typedef enum logic [1:0] {
    RoundRobin  = 2'd0,  // one after the other
    FlowHash    = 2'd1,  // by a hash of address and ports: one flow, one replica
    DstPort     = 2'd2,  // by the low bits of the destination port
    LeastLoaded = 2'd3   // the one with the fewest messages on the way to it or in it
  } policy_e;

  // Where the messages for a group carry what tells flows apart.
  typedef enum logic [1:0] {
    FlowMeta    = 2'd0,  // address and ports in the metadata
    FlowPayload = 2'd1,  // address in the metadata, ports in the first 4 bytes (UDP, TCP)
    FlowAddress = 2'd2   // only the address, in the metadata
  } flow_e;

  // A group of replicas. Its slots, 2^slot_bits from first_slot on, hold routes;
  // first_slot is a multiple of their number.
  typedef struct packed {
    policy_e     policy;
    flow_e flow;
    logic [7:0]  replicas;
    logic [7:0]  first_slot;
    logic [3:0]  slot_bits;
  } group_t;

endpackage
