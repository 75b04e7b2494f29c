import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

/**
 * Removes variables for the browser that config.ts has read from `.env`, if a file that has precedence over it sets
 * them: Vite prefers the environment to all of its files.
 * @param root the project's folder
 * @param mode of Vite: `production` for a build, `development` otherwise
 */
export function preferLaterFiles(root: string, mode: string): void {
  // oxlint-disable-next-line node/no-process-env -- Vite reads them there
  const { env } = process
  const first = readVariables(join(root, '.env'))
  for (const file of ['.env.local', `.env.${mode}`, `.env.${mode}.local`])
    for (const name of Object.keys(readVariables(join(root, file))))
      if (name.startsWith('VITE_') && first[name] !== undefined && env[name] === first[name]) delete env[name]
}

const readVariables = (file: string) => (existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {})
