import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
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

t.test('.env.example changes nothing when all of it is taken over', async (t) => {
  const env = Object.fromEntries(
    [...read('.env.example').matchAll(/^# ([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name!, value])
  )
  t.strictSame(readConfig(env), readConfig({}))
})
