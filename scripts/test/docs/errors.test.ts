import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyError } from 'fastify'
import t from 'tap'
import * as errors from '../../../packages/common/src/errors.ts'
import { OUTCOME_CODES } from '../../../packages/common/src/outcomes.ts'

const ROOT = join(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** Code to status, as each row of a table has them. */
const documented = new Map(
  [...read('docs/errors.md').matchAll(/^\| `(\w+)` \| (\d{3}) \| [^|]+ \| [^|]+ \|$/gm)].map(([, code, status]) => [
    code!,
    Number(status)
  ])
)

t.test('docs/errors.md tells the status of every coded error', async (t) => {
  for (const ErrorClass of Object.values(errors)) {
    const { code, statusCode } = Reflect.construct(ErrorClass, ['one', 'two', 'three', 'four']) as FastifyError
    t.equal(documented.get(code), statusCode, code)
  }
})

t.test('docs/errors.md tells the status of every outcome', async (t) => {
  for (const [status, code] of Object.entries(OUTCOME_CODES)) t.equal(documented.get(code), Number(status), code)
})

t.test('docs/errors.md has every code that the source has, and no other', async (t) => {
  const sources = globSync(['packages/*/src/**/*.{ts,tsx}', 'plugins/**/*.ts', 'routes/**/*.ts', '*.ts'], { cwd: ROOT })
  const codes = new Set(sources.flatMap((path) => read(path).match(/(?<=')APP_[A-Z_]+[A-Z](?=')/g) ?? []))
  t.strictSame([...documented.keys()].sort(), [...codes].sort())
})
