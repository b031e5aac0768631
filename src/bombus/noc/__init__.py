"""Fabrics by themselves: the router's parameters, meshes without tiles, traffic over them."""
