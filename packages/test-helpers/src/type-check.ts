import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runChild } from '../../../scripts/child.js'
import { bareNode } from './bare-node.ts'
import type { TestSite } from './site.ts'

const PROJECT = join(import.meta.dirname, '../../..')

/**
 * Type-checks a site with the checks that its build generates, or another folder of TypeScript. Uses one checker,
 * because other tests use the other cores, and each further checker would check the types of all packages again.
 * @param include files and folders below the site's root
 * @default its client folder, with the generated checks of pages; hrefs may be any string
 * @returns output and exit code
 */
export async function typeCheck({ root }: Pick<TestSite, 'root'>, include = ['client', '.hull/types/pages.ts']) {
  const config = join(root, 'tsconfig.json')
  writeFileSync(config, JSON.stringify({ extends: join(PROJECT, 'tsconfig.json'), include }))
  const tsc = join(PROJECT, 'node_modules/typescript/bin/tsc')
  return runChild('env', bareNode(tsc, '--checkers', '1', '-p', config), { cwd: root, capture: true })
}
