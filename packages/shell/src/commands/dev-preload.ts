import '../compile-cache.ts'

/*
 * Loaded by `hull-dev` into the server's process: if the command disappears without a signal, the server exits instead
 * of keeping the port.
 */
// oxlint-disable-next-line hull/safe-callbacks -- it does not throw
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
