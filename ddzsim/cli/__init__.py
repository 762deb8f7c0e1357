"""The shell: one small file per command: parse options, make one library call, print."""
