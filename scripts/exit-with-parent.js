/*
 * `npm start` loads this file into the server before its own code. If the parent process disappears without a signal
 * (SIGKILL, out of memory), the server exits instead of keeping the port.
 */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
