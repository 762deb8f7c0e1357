"""The shell: one small file per command, which parses options, makes one library call and prints."""
