import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'

const ROOT = join(import.meta.dirname, '../../..')

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

/** Environment of a container whose requests to other networks go through a proxy, which nobody can reach here. */
const PROXIED = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9' }

interface Compose {
  services: Record<string, { healthcheck?: { test: string[] } }>
}

const commands = [
  ...Array.from(
    read('Dockerfile').matchAll(/^HEALTHCHECK [^]*?CMD (\[.*\])$/gm),
    ([, command]) => JSON.parse(command!) as string[]
  ),
  ...['compose.yaml', 'deploy/compose/compose.yaml'].flatMap((file) =>
    Object.values((parse(read(file), { merge: true }) as Compose).services).flatMap(({ healthcheck }) =>
      healthcheck ? [healthcheck.test.slice(1)] : []
    )
  )
]

t.test('health checks ask the server itself, also if other requests go through a proxy', async (t) => {
  let status = 200
  const server = createServer((_request, response) => {
    response.writeHead(status).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  const port = String((server.address() as AddressInfo).port)
  t.equal(commands.length, 5)
  for (const [name, ...args] of commands) {
    t.equal(name, 'node')
    const run = () =>
      new Promise((resolve) => {
        const options = { env: { ...PROXIED, PORT: port } }
        execFile(
          process.execPath,
          args.map((arg) => arg.replaceAll(':3000', `:${port}`)),
          options,
          (error) => resolve(error ? error.code : 0)
        )
      })
    status = 200
    t.equal(await run(), 0, args.join(' '))
    status = 503
    t.equal(await run(), 1, args.join(' '))
  }
})
