import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyError } from 'fastify'
import t from 'tap'
import * as common from '../../../packages/common/src/errors.ts'
import { OUTCOME_CODES } from '../../../packages/common/src/outcomes.ts'
import * as inbox from '../../../packages/inbox/src/errors.ts'
import * as monitoring from '../../../packages/monitoring/src/errors.ts'
import * as shell from '../../../packages/shell/src/errors.ts'

const ROOT = join(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** Error classes of each package, by the heading of their table in docs/errors.md. */
const PACKAGES = { 'Any package': common, Shell: shell, Monitoring: monitoring, Inbox: inbox }

/** Reads status codes by error code from the rows of the tables. */
const toStatuses = (text: string) =>
  new Map(
    [...text.matchAll(/^\| `(\w+)` \| (\d{3}) \| [^|]+ \| [^|]+ \|$/gm)].map(([, code, status]) => [
      code!,
      Number(status)
    ])
  )

const documented = toStatuses(read('docs/errors.md'))

t.test('docs/errors.md lists every error code of a package with its status', async (t) => {
  const sections = read('docs/errors.md').split(/^## /m)
  for (const [heading, errors] of Object.entries(PACKAGES)) {
    const statuses = toStatuses(sections.find((section) => section.startsWith(`${heading}\n`))!)
    for (const ErrorClass of Object.values(errors)) {
      const { code, statusCode } = Reflect.construct(ErrorClass, ['one', 'two', 'three', 'four']) as FastifyError
      t.equal(statuses.get(code), statusCode, `${heading}: ${code}`)
    }
  }
})

t.test('docs/errors.md lists the code of every outcome with its status', async (t) => {
  for (const [status, code] of Object.entries(OUTCOME_CODES)) t.equal(documented.get(code), Number(status), code)
})

t.test('docs/errors.md lists exactly the error codes in the sources', async (t) => {
  const sources = globSync(['packages/*/src/**/*.{ts,tsx}', 'plugins/**/*.ts', 'routes/**/*.ts', '*.ts'], { cwd: ROOT })
  const codes = new Set(sources.flatMap((path) => read(path).match(/(?<=')APP_[A-Z_]+[A-Z](?=')/g) ?? []))
  t.strictSame([...documented.keys()].sort(), [...codes].sort())
})
