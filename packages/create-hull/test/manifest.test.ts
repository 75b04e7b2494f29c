import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createApplication } from '../src/create.ts'
import { toManifest } from '../src/manifest.ts'

const PROJECT = join(import.meta.dirname, '../../..')

t.test('scripts have no single quotes, because the shell of Windows does not remove them', async (t) => {
  const root = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'))
  const { scripts } = toManifest(root, { folder: t.testdir(), hull: {} })
  t.match(scripts.test, 'node --test')
  t.notMatch(Object.values(scripts).join('\n'), "'")
})

t.test('the settings of an application without the inbox do not name it', async (t) => {
  for (const inbox of [true, false]) {
    const folder = join(t.testdir(), String(inbox))
    createApplication({ project: PROJECT, folder, inbox, lab: false })
    const settings = readFileSync(join(folder, '.env.example'), 'utf8')
    t.match(settings, '# SENTRY_DSN=')
    t.equal(/inbox/i.test(settings), inbox)
  }
})

t.test('the Dockerfile names no document, because an application has none', async (t) => {
  const folder = t.testdir()
  createApplication({ project: PROJECT, folder, inbox: true, lab: false })
  t.notMatch(readFileSync(join(folder, 'Dockerfile'), 'utf8'), 'docs/')
})
