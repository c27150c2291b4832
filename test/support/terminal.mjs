// `--import`ed into a process of a test: it takes its standard output for a terminal.
process.stdout.isTTY = true;
