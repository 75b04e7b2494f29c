import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { readConfig } from '../config.ts'
import { buildServer } from '../server.ts'

/** Prints no sign-in link of the inbox, if there is one. */
const quiet = { dev: false, print() {} }

/** Starts the built application with a data folder of its own; closed with the test. */
export async function startServer(t: TestContext, env: Record<string, string> = {}) {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'app-'))
  const app = await buildServer(readConfig({ DATA_DIR, LOG_LEVEL: 'error', ...env }), quiet)
  t.after(async () => {
    await app.close()
    rmSync(DATA_DIR, { recursive: true, force: true })
  })
  return app
}
