import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

const PROJECT = join(import.meta.dirname, '../../..')

/** The parts that a build or a development server reads. */
const PARTS = [
  'client',
  'packages',
  'plugins',
  'routes',
  'config.ts',
  'server.ts',
  'vite.config.ts',
  'tsconfig.json',
  'package.json'
]

/** Copies the application and its packages into a folder of the project, for a test that changes files. */
export function copyApplication(root: string): void {
  for (const part of PARTS) cpSync(join(PROJECT, part), join(root, part), { recursive: true, filter: isSource })
  linkPackages(root)
}

/** Leaves out the tests of the packages, which neither a build nor a server reads. */
const isSource = (path: string) => !/[\\/]packages[\\/][^\\/]+[\\/]test$/.test(path)

/** Links Hull's packages as npm does for a workspace: `@hull/shell` is the copy's. All others are found further up. */
function linkPackages(root: string) {
  const scope = join(root, 'node_modules/@hull')
  mkdirSync(scope, { recursive: true })
  for (const name of readdirSync(join(root, 'packages'))) symlinkSync(join('../../packages', name), join(scope, name))
}
