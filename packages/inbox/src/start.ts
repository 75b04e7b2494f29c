import { join } from 'node:path'
import { closeOnSignals, collectGarbage, loadOrExit } from '@hull/shell'
import { runCommand } from './commands/run.ts'
import { loadInboxConfig } from './config.ts'
import { buildInboxServer } from './server.ts'

/** Runs `hull-inbox`: the server, or one of its commands, with the configuration of this process. */
const [command, ...args] = process.argv.slice(2)
const config = loadOrExit(loadInboxConfig)
if (command === undefined) {
  const app = await loadOrExit(() => buildInboxServer(config))
  app.afterStart(collectGarbage)
  closeOnSignals(app, { delay: config.shutdownDelay, timeout: config.shutdownTimeout })
  await app.listen({ host: config.host, port: config.port })
} else {
  const place = { file: join(config.dataDir, 'inbox.db'), database: config.databaseUrl }
  process.exitCode = await runCommand(place, command, args)
}
