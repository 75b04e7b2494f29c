import { cpSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { applyDiffs } from '@hull/test-helpers/apply-diffs.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { readConfig, SETTINGS } from '../../../config.ts'

const ROOT = join(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const settings = Object.values<(typeof SETTINGS)[keyof typeof SETTINGS]>(SETTINGS).map(
  ({ variable, meaning, ...rest }) => ({
    variable,
    meaning,
    fallback: 'fallback' in rest ? rest.fallback : undefined,
    otherwise: 'otherwise' in rest ? rest.otherwise : undefined
  })
)

t.test('docs/configuration.md has one row for each setting, with its default and meaning', async (t) => {
  const rows = read('docs/configuration.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  const expected = settings.map(
    ({ variable, fallback, otherwise, meaning }) =>
      `| \`${variable}\` | ${fallback === undefined ? otherwise : `\`${fallback}\``} | ${meaning} |`
  )
  t.strictSame(rows, expected)
})

t.test('.env.example has each setting, commented out, with its default and meaning', async (t) => {
  const blocks = read('.env.example').trim().split('\n\n').slice(1)
  const expected = settings.map(({ variable, fallback, otherwise, meaning }) =>
    [
      `# ${meaning}`,
      ...(fallback === undefined ? [`# Default: ${otherwise}.`] : []),
      `# ${variable}=${fallback ?? ''}`
    ].join('\n')
  )
  t.strictSame(blocks, expected)
})

t.test('the values in .env.example are the defaults', async (t) => {
  const env = Object.fromEntries(
    [...read('.env.example').matchAll(/^# ([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name!, value])
  )
  t.strictSame(readConfig(env), readConfig({}))
})

t.test('the example of docs/configuration.md adds a setting, and refuses an invalid value', async (t) => {
  const folder = createFolder(t)
  cpSync(join(ROOT, 'config.ts'), join(folder, 'config.ts'))
  symlinkSync(join(ROOT, 'routes'), join(folder, 'routes'))
  applyDiffs(read('docs/configuration.md'), folder)
  const { readConfig } = (await import(join(folder, 'config.ts'))) as {
    readConfig: (env: object) => { perPage: number }
  }
  t.equal(readConfig({}).perPage, 20)
  t.equal(readConfig({ PER_PAGE: '50' }).perPage, 50)
  t.throws(() => readConfig({ PER_PAGE: 'abc' }), {
    code: 'APP_CONFIG_INVALID',
    message: 'PER_PAGE=abc: expected a whole number from 1 to 100'
  })
})
