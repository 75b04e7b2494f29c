import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { APPLICATION, NPM_SETTINGS } from './application.ts'

/** Package name of the command that creates an application. */
export const CREATE_HULL = 'create-hull'

/** Parts of the repository's package.json that a new application needs. */
const TAKEN = [
  'version',
  'config',
  'dependencies',
  'devDependencies',
  'peerDependencies',
  'optionalDependencies',
  'overrides'
]

/**
 * Assembles the published `create-hull`: the compiled command, its template, and the application to copy.
 * @param stage contains the compiled packages
 * @returns the folder to run `npm pack` in
 */
export function stageCreateHull(project: string, stage: string): string {
  const folder = join(stage, CREATE_HULL)
  const compiled = join(stage, 'packages', CREATE_HULL, 'src')
  for (const file of globSync('*.js', { cwd: compiled })) cpSync(join(compiled, file), join(folder, 'dist', file))
  cpSync(join(project, 'packages', CREATE_HULL, 'template'), join(folder, 'template'), { recursive: true })
  const application = join(folder, 'application')
  for (const path of APPLICATION) cpSync(join(project, path), join(application, path), { recursive: true })
  const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as Record<string, unknown>
  const taken = Object.fromEntries(TAKEN.map((key) => [key, manifest[key]]))
  writeFileSync(join(application, 'package.json'), JSON.stringify(taken, null, 2))
  // npm never packs its own settings file.
  cpSync(join(project, NPM_SETTINGS), join(application, NPM_SETTINGS.slice(1)))
  return folder
}
