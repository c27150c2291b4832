@rem `npm start` runs "exec node ...", so that a signal to npm reaches the service. cmd.exe has no exec, and finds this file.
@%*
