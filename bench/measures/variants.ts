import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Built } from '../servers.ts'

/** The same contender with other settings, and data of its own. */
export function withEnv({ name, launch }: Built, env: Record<string, string>): Built {
  const data = mkdtempSync(join(tmpdir(), `hull-bench-`))
  return { name, launch: { ...launch, env: { ...launch.env, DATA_DIR: data, ...env } } }
}
