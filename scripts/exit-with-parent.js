/*
 * Loaded into the server before its own code by `npm start`: when the process that started it is gone without
 * a word (SIGKILL, out of memory), the server stops too instead of keeping the port.
 */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
