import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runChild } from '../../../scripts/child.js'
import { bareNode } from './bare-node.ts'
import type { TestSite } from './site.ts'

const PROJECT = join(import.meta.dirname, '../../..')

/**
 * What the type checker says of a site, with the checks that its build made, and its exit code.
 * @param rooms files and folders below the site's root. @default its pages
 */
export async function typeCheck({ root }: TestSite, rooms = ['client']) {
  const config = join(root, 'tsconfig.json')
  const include = [...rooms, '.hull/types/*.ts']
  writeFileSync(config, JSON.stringify({ extends: join(PROJECT, 'tsconfig.json'), include }))
  const tsc = join(PROJECT, 'node_modules/typescript/bin/tsc')
  return runChild('env', bareNode(tsc, '-p', config), { cwd: root, capture: true })
}
