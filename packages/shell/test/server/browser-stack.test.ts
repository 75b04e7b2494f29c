import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createServer } from 'vite'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { mapBrowserStack } from '../../src/server/browser-stack.ts'

const root = createFolder(t)
const file = join(root, 'a page.ts')
writeFileSync(
  file,
  'interface Removed {\n  line: string\n}\nexport const fail = (): Removed => {\n  throw new Error()\n}\n'
)
const server = await createServer({
  root,
  configFile: false,
  logLevel: 'silent',
  server: { middlewareMode: true, ws: false }
})
t.teardown(() => server.close())
const { client } = server.environments
const { code } = (await client.transformRequest('/a page.ts'))!
const before = code.slice(0, code.indexOf('new Error')).split('\n')
const place = `${before.length}:${before.at(-1)!.length + 1}`
// Vite adds the time of the last change to the URL.
const address = 'http://localhost:3000/a%20page.ts?t=1795427000000'

t.test('maps stacks of Chromium, Firefox and Safari', async (t) => {
  t.notMatch(`${before.length}`, '5', 'Vite has moved the line')
  const stack = [
    'Error: at fault (http://example.com)',
    `    at fail (${address}:${place})`,
    `    at async ${address}:${place}`,
    `fail@${address}:${place}`,
    `@${address}:${place}`
  ].join('\n')
  t.same((await mapBrowserStack(client, stack)).split('\n'), [
    'Error: at fault (http://example.com)',
    `    at fail (${file}:5:9)`,
    `    at ${file}:5:9`,
    `    at fail (${file}:5:9)`,
    `    at ${file}:5:9`
  ])
})

t.test('leaves frames of unknown modules unchanged', async (t) => {
  const stack = 'Error\n    at fail (http://localhost:3000/unknown.ts:1:2)\n    at <anonymous>'
  t.equal(await mapBrowserStack(client, stack), stack)
})
