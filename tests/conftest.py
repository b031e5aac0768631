"""Here so that tests of all kinds can import what stands beside this file."""
