// Directions of a mesh router. x grows to the east, y grows to the south.
package noc_pkg;

  parameter int unsigned NumDirs = 5;

  typedef enum logic [2:0] {
    DirLocal = 3'd0,
    DirNorth = 3'd1,
    DirEast  = 3'd2,
    DirSouth = 3'd3,
    DirWest  = 3'd4
  } dir_e;

endpackage
