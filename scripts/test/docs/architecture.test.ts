import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

const ROOT = join(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

t.test('docs/architecture.md lists exactly the plugins of server.ts', async (t) => {
  const server = read('server.ts')
  const [, table = ''] =
    /\n\| behaviour \| line of `server\.ts` \| code \|\n([^]*?)\n\n/.exec(read('docs/architecture.md')) ?? []
  const rows = table.split('\n').slice(1)
  const listed = new Set(rows.flatMap((row) => [...row.split('|')[2]!.matchAll(/`(\w+)`/g)].map(([, name]) => name!)))
  const registered = [...server.matchAll(/app\.register\((\w+)[,)]/g)].map(([, name]) => name!)
  t.ok(registered.length > 10)
  for (const name of registered) t.ok(listed.has(name), `${name} has a row`)
  for (const name of listed) t.match(server, new RegExp(`\\b${name}\\b`), `server.ts has ${name}`)
})
