// SPDX-License-Identifier: Apache-2.0
// Directions of a mesh router, dispatch policies, fabrics, and the legal turns of each routing
// algorithm. x grows to the east, y grows to the south.
package noc_pkg;

  parameter int unsigned NumDirs = 5;

  typedef enum logic [2:0] {
    DirLocal = 3'd0,
    DirNorth = 3'd1,
    DirEast  = 3'd2,
    DirSouth = 3'd3,
    DirWest  = 3'd4
  } dir_e;

  // Position of a tile, and the part of the mesh that its messages may reach.
  typedef struct packed {
    int unsigned x;        // own position
    int unsigned y;
    int unsigned first_x;  // origin of the mesh
    int unsigned first_y;
    int unsigned columns;
    int unsigned rows;
  } place_t;
  parameter place_t WholeMesh = '{columns: 256, rows: 256, default: 0};

  // How the next replica is chosen.
  typedef enum logic [1:0] {
    RoundRobin  = 2'd0,  // in turn
    FlowHash    = 2'd1,  // by a hash of address and ports: one flow, one replica
    DstPort     = 2'd2,  // by the low bits of the destination port
    LeastLoaded = 2'd3   // the replica with the fewest messages on the way to it or inside it
  } policy_e;

  // How a next hop that leads to a group chooses; y of its entry.
  typedef enum logic [1:0] {
    ByPolicy = 2'd0,  // by the policy of the group's slots
    InTurn   = 2'd1,  // the slots in turn
    ByLoad   = 2'd2   // the least loaded replica, in a group with counts_load
  } choice_e;

  // Position of the fields that identify a flow in messages for a group.
  typedef enum logic [1:0] {
    FlowMeta    = 2'd0,  // address and ports in the metadata
    FlowPayload = 2'd1,  // address in the metadata, ports in the first 4 bytes (UDP, TCP)
    FlowAddress = 2'd2  // address only, in the metadata
  } flow_e;

  // A group of replicas. Its slots, 2^slot_bits from first_slot on, hold routes; first_slot is a
  // multiple of their number. policy is LeastLoaded if the group has no other policy. With
  // counts_load, next hops may also select the least loaded replica: slot n then leads to replica
  // n, n < replicas.
  typedef struct packed {
    policy_e     policy;
    flow_e flow;
    logic [7:0]  replicas;
    logic [7:0]  first_slot;
    logic [3:0]  slot_bits;
    logic        counts_load;
    logic [7:0]  limit;        // of a replica's load; 0: no limit
  } group_t;
  localparam int unsigned LoadWidth = 6;  // of a replica's load

  // The fabric that connects the tiles (docs/fabrics.md).
  typedef enum logic [1:0] {
    FabricWormhole        = 2'd0,
    FabricVirtualChannels = 2'd1,
    FabricCrosspoint      = 2'd2
  } fabric_e;

  typedef enum logic [1:0] {
    RoutingXY       = 2'd0,  // first x, then y
    RoutingO1Turn   = 2'd1,  // x first or y first, as the first router decides; one turn
    RoutingAdaptive = 2'd2   // any shortest path; each router decides
  } routing_e;

  // Bits of valid and of ready on a link (docs/fabrics.md, Links).
  function automatic int unsigned num_channels(fabric_e fabric, int unsigned virtual_channels);
    case (fabric)
      FabricVirtualChannels: return virtual_channels;
      FabricCrosspoint: return NumDirs;
      default: return 1;
    endcase
  endfunction

  function automatic dir_e opposite(int unsigned dir);
    case (dir)
      int'(DirNorth): return DirSouth;
      int'(DirEast): return DirWest;
      int'(DirSouth): return DirNorth;
      int'(DirWest): return DirEast;
      default: return DirLocal;
    endcase
  endfunction

  // Position of the router that an output is linked to.
  function automatic logic [7:0] next_x(int unsigned output_, logic [7:0] x);
    return output_ == int'(DirEast) ? x + 1'b1 : output_ == int'(DirWest) ? x - 1'b1 : x;
  endfunction

  function automatic logic [7:0] next_y(int unsigned output_, logic [7:0] y);
    return output_ == int'(DirSouth) ? y + 1'b1 : output_ == int'(DirNorth) ? y - 1'b1 : y;
  endfunction

  function automatic logic is_horizontal(int unsigned dir);
    return dir == int'(DirEast) || dir == int'(DirWest);
  endfunction

  // Ports of the router at (x, y) of a mesh.
  function automatic logic [NumDirs-1:0] ports_of(int unsigned x, int unsigned y,
                                                  int unsigned columns, int unsigned rows);
    logic [NumDirs-1:0] ports;
    ports[DirLocal] = 1'b1;
    ports[DirNorth] = y > 0;
    ports[DirEast]  = x < columns - 1;
    ports[DirSouth] = y < rows - 1;
    ports[DirWest]  = x > 0;
    return ports;
  endfunction

  // ---- Turns ----

  // For each output, the inputs from which its messages may arrive.
  typedef logic [NumDirs-1:0][NumDirs-1:0] turns_t;

  // No U-turns. Under XY, a message that moves north or south stays in its column.
  function automatic logic is_legal_turn(routing_e routing, int unsigned from, int unsigned to);
    if (from == to) return 1'b0;
    if (routing != RoutingXY || from == int'(DirLocal)) return 1'b1;
    return is_horizontal(from) || !is_horizontal(to);
  endfunction

  // Outputs that an input may request.
  function automatic logic [NumDirs-1:0] outputs_of(routing_e routing, int unsigned input_);
    logic [NumDirs-1:0] outputs;
    for (int unsigned o = 0; o < NumDirs; o++) outputs[o] = is_legal_turn(routing, input_, o);
    return outputs;
  endfunction

  // Inputs that may request an output; only the first num_inputs_of entries are valid.
  parameter int unsigned MaxInputs = 4;
  typedef dir_e [MaxInputs-1:0] inputs_t;

  function automatic int unsigned num_inputs_of(routing_e routing, int unsigned output_,
                                                logic [NumDirs-1:0] allowed = '1);
    int unsigned count;
    count = 0;
    for (int unsigned i = 0; i < NumDirs; i++) begin
      if (allowed[i] && is_legal_turn(routing, i, output_)) count++;
    end
    return count;
  endfunction

  // `allowed`: inputs from which messages to this output may arrive in a design.
  function automatic inputs_t inputs_of(routing_e routing, int unsigned output_,
                                        logic [NumDirs-1:0] allowed = '1);
    inputs_t inputs;
    int unsigned count;
    inputs = '{default: DirLocal};
    count  = 0;
    for (int unsigned i = 0; i < NumDirs; i++) begin
      if (allowed[i] && is_legal_turn(routing, i, output_)) begin
        inputs[count] = dir_e'(i);
        count++;
      end
    end
    return inputs;
  endfunction

  // ---- Paths ----

  // Direction of a destination relative to a router; all zero: the router of the destination.
  typedef struct packed {
    logic north;
    logic east;
    logic south;
    logic west;
  } heading_t;

  function automatic heading_t heading(logic [7:0] from_x, logic [7:0] from_y, logic [7:0] x,
                                       logic [7:0] y);
    return '{north: y < from_y, east: x > from_x, south: y > from_y, west: x < from_x};
  endfunction

  // Outputs that a message may take, given the input it arrived on: at most one horizontal and one
  // vertical. Empty only for a destination outside the mesh.
  function automatic logic [NumDirs-1:0] ways(routing_e routing, int unsigned arrival,
                                              heading_t to);
    logic [NumDirs-1:0] horizontal, vertical;
    horizontal = '0;
    vertical = '0;
    horizontal[DirEast] = to.east;
    horizontal[DirWest] = to.west;
    vertical[DirNorth] = to.north;
    vertical[DirSouth] = to.south;
    if (to == '0) return NumDirs'(1) << DirLocal;
    if (routing == RoutingAdaptive) return horizontal | vertical;
    if (routing == RoutingO1Turn && arrival == int'(DirLocal)) return horizontal | vertical;
    // Straight on as far as possible, then turn.
    if (routing == RoutingO1Turn && !is_horizontal(arrival)) begin
      return |vertical ? vertical : horizontal;
    end
    return |horizontal ? horizontal : vertical;
  endfunction

  // XY: the output that a message takes at the router where it starts.
  function automatic dir_e first_dir(heading_t to);
    logic [NumDirs-1:0] way;
    way = ways(RoutingXY, int'(DirLocal), to);
    first_dir = DirLocal;
    for (int unsigned d = 0; d < NumDirs; d++) if (way[d]) first_dir = dir_e'(d);
  endfunction

  // The ready of a crosspoint router reaches the upstream router this many cycles late, so up to
  // this many flits in flight are not yet included in the level that it reflects.
  parameter int unsigned CrosspointLate = 2;

  // XY: the output that a message to (x, y) takes at the router downstream of output `dir` of the
  // router at (here_x, here_y). A message on its path has its destination straight ahead or has
  // reached its turn, so comparing for equality is enough.
  function automatic dir_e next_dir(int unsigned dir, logic [7:0] here_x, logic [7:0] here_y,
                                    logic [7:0] x, logic [7:0] y);
    logic x_reached, y_reached, y_south;
    x_reached = x == next_x(dir, here_x);
    y_reached = y == next_y(dir, here_y);
    y_south   = y > next_y(dir, here_y);
    case (dir)
      int'(DirEast), int'(DirWest): begin
        if (!x_reached) return dir_e'(dir);
        if (y_reached) return DirLocal;
        return y_south ? DirSouth : DirNorth;
      end
      int'(DirNorth), int'(DirSouth): return y_reached ? DirLocal : dir_e'(dir);
      default: return DirLocal;
    endcase
  endfunction

  // ---- Lanes of the lossless crosspoint fabric (proof: docs/fabrics.md) ----

  // Whether this is a straight-through queue that two classes of messages would share. It has one
  // lane for each class, so that full queues cannot form a cycle.
  function automatic logic is_split(routing_e routing, int unsigned from, int unsigned to);
    if (from == int'(DirLocal) || to != int'(opposite(from))) return 1'b0;
    return routing == RoutingO1Turn || (routing == RoutingAdaptive && !is_horizontal(to));
  endfunction

  // O1TURN: lane 1 holds messages that have made their turn or need none. Adaptive: lane 1 of a
  // vertical queue holds messages with a remaining move to the west.
  function automatic logic lane_of(routing_e routing, int unsigned to, heading_t heading_to);
    if (routing == RoutingAdaptive) return heading_to.west;
    return is_horizontal(
        to
    ) ? !(heading_to.north || heading_to.south) : !(heading_to.east || heading_to.west);
  endfunction

  // The channels that an input of a crosspoint router has, given the router's ports.
  function automatic logic [NumDirs-1:0] queues_of(routing_e routing, logic lossless,
                                                   logic [NumDirs-1:0] ports, int unsigned from);
    logic [NumDirs-1:0] found;
    int unsigned ahead;
    ahead = int'(opposite(from));
    found = '0;
    for (int unsigned o = 0; o < NumDirs; o++) begin
      found[o] = ports[from] && ports[o] && is_legal_turn(routing, from, o);
    end
    found[from] = lossless && ports[from] && ports[ahead] && is_split(routing, from, ahead);
    return found;
  endfunction

  // The channels that a message may take at an input. The queue to an output has the number of the
  // output. The second lane of the straight queue has the number of the input, which no other queue
  // uses.
  function automatic logic [NumDirs-1:0] channels_of(routing_e routing, logic lossless,
                                                     int unsigned arrival, heading_t to);
    logic [NumDirs-1:0] found;
    int unsigned ahead;
    ahead = int'(opposite(arrival));
    found = ways(routing, arrival, to);
    if (lossless && is_split(
            routing, arrival, ahead
        ) && found[ahead] && lane_of(
            routing, ahead, to
        )) begin
      found[ahead]   = 1'b0;
      found[arrival] = 1'b1;
    end
    return found;
  endfunction

endpackage
