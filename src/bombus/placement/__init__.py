"""Where the tiles of a design stand on the mesh."""
