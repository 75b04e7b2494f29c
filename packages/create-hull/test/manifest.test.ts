import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { toManifest } from '../src/manifest.ts'

const PROJECT = join(import.meta.dirname, '../../..')

t.test('scripts have no single quotes, which the shell of Windows passes on', async (t) => {
  const root = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'))
  const { scripts } = toManifest(root, { folder: t.testdir(), hull: {} })
  t.match(scripts.test, 'node --test')
  t.notMatch(Object.values(scripts).join('\n'), "'")
})
