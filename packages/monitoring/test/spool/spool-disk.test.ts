import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { startChildServerBy, type ChildServer } from '@hull/test-helpers/child-server.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { openProvider, type TestProvider } from '@hull/test-helpers/provider.ts'
import { keepSmallDisk, lacksSmallDisks, lookAtDisk, onSmallDisk } from '@hull/test-helpers/small-disk.ts'

/* Tests a tunnel in a process of its own, on a small disk. */

const KIB = 1024
const MIB = 1024 ** 2
const FIXTURE = 'packages/monitoring/test/fixtures/tunnel-server.ts'

t.jobs = 4

function createClient({ origin, lines }: ChildServer, { dsn, received }: TestProvider) {
  /** Envelopes whose response had status 200, by event id. */
  const accepted = new Map<string, string>()

  async function post(size: number) {
    const id = randomUUID().replaceAll('-', '')
    const rest = `{"type":"event","length":${size}}\n${id.repeat(size / 32)}\n`
    const response = await fetch(`${origin}/monitoring`, {
      method: 'POST',
      body: `${JSON.stringify({ dsn, event_id: id })}\n${rest}`
    })
    if (response.ok) accepted.set(id, rest)
    return response
  }

  /** Reads a metric of the spool. */
  async function readMetric(name: 'envelopes' | 'bytes' | 'available'): Promise<number> {
    const metrics = await (await fetch(`${origin}/metrics`)).text()
    return Number(new RegExp(`^monitoring_spool_${name} (\\d+)$`, 'm').exec(metrics)![1])
  }

  return {
    accepted,
    post,
    readMetric,
    /** Posts envelopes until one is refused. @returns the response to that envelope */
    async postUntilRefused(size: number): Promise<Response> {
      for (;;) {
        const response = await post(size)
        if (!response.ok) return response
      }
    },
    /** Posts envelopes until one is accepted. */
    async postUntilAccepted(size: number): Promise<void> {
      while (!(await post(size)).ok) await pause()
    },
    /** Waits until the spool is empty, and asserts that all accepted envelopes have arrived unchanged. */
    async assertArrived(t: Test) {
      while ((await readMetric('envelopes')) > 0) await pause()
      for (const [id, rest] of accepted)
        t.ok(
          received.some(({ header, body }) => header.event_id === id && body.toString() === rest),
          id
        )
    },
    logLines: () => lines.filter(({ msg }) => /cannot be stored|available again/.test(msg))
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 20))

async function assertRefused(t: Test, response: Response) {
  t.equal(response.status, 503)
  t.match(response.headers.get('x-sentry-error'), 'APP_MONITORING_SPOOL_UNAVAILABLE: ')
  t.ok(Number(response.headers.get('retry-after')) > 0)
}

t.test(
  'envelopes are refused while the disk is full, and accepted envelopes are kept',
  { skip: lacksSmallDisks() },
  async (t) => {
    const provider = await openProvider(t)
    await provider.goDown()
    const folder = createFolder(t)
    const server = await startChildServerBy(t, onSmallDisk(folder, 40), FIXTURE, folder, provider.dsn)
    const { accepted, post, postUntilAccepted, readMetric, assertArrived, logLines } = createClient(server, provider)
    const disk = lookAtDisk(server.pid, folder)
    for (let i = 0; i < 10; i++) t.ok((await post(50 * KIB)).ok)

    disk.fill()
    t.equal(disk.free, 0)
    for (const size of [32, 50 * KIB, 900 * KIB]) await assertRefused(t, await post(size))
    t.equal(await readMetric('envelopes'), 10, 'accepted envelopes are kept')

    disk.empty()
    await provider.comeBack()
    await postUntilAccepted(32)
    t.ok((await post(900 * KIB)).ok)
    await assertArrived(t)
    t.equal(accepted.size, 12)
    t.equal(provider.received.length, 12, 'no envelope is delivered twice')
    t.match(logLines(), [{ level: 40 }, { level: 30 }], 'the outage is logged once')
  }
)

t.test(
  'the spool does not fill the disk completely, and accepts envelopes again after deliveries',
  { skip: lacksSmallDisks() },
  async (t) => {
    const provider = await openProvider(t)
    await provider.goDown()
    const folder = createFolder(t)
    const server = await startChildServerBy(t, onSmallDisk(folder, 20), FIXTURE, folder, provider.dsn)
    const { accepted, post, postUntilRefused, assertArrived } = createClient(server, provider)
    await assertRefused(t, await postUntilRefused(50 * KIB))
    await assertRefused(t, await post(900 * KIB))
    t.ok(accepted.size > 20)
    t.ok(lookAtDisk(server.pid, folder).free > MIB, 'the spool leaves space that deletions need')
    await provider.comeBack()
    await assertArrived(t)
    t.ok((await post(900 * KIB)).ok)
    await assertArrived(t)
  }
)

t.test(
  'no envelope is lost if the disk is full, the provider is down and the server restarts',
  { skip: lacksSmallDisks() },
  async (t) => {
    const provider = await openProvider(t)
    await provider.goDown()
    const folder = createFolder(t)
    const { pid, command } = await keepSmallDisk(t, folder, 40)
    const disk = lookAtDisk(pid, folder)
    const first = await startChildServerBy(t, command, FIXTURE, folder, provider.dsn)
    const before = createClient(first, provider)
    for (let i = 0; i < 10; i++) t.ok((await before.post(50 * KIB)).ok)
    disk.fill()
    first.kill('SIGKILL')
    await first.exited

    const server = await startChildServerBy(t, command, FIXTURE, folder, provider.dsn)
    const { accepted, post, postUntilAccepted, readMetric, assertArrived } = createClient(server, provider)
    for (const [id, rest] of before.accepted) accepted.set(id, rest)
    await assertRefused(t, await post(50 * KIB))
    t.equal(await readMetric('envelopes'), 10, 'accepted envelopes are kept')
    await provider.comeBack()
    await provider.has(10)
    t.equal(disk.free, 0, 'envelopes are delivered while the disk is full')

    disk.empty()
    await postUntilAccepted(50 * KIB)
    await assertArrived(t)
    t.equal(provider.received.length, 11, 'no envelope is delivered twice')
  }
)

t.test(
  'envelopes are refused if a write fails although the disk has free space',
  { skip: process.platform === 'win32' },
  async (t) => {
    const provider = await openProvider(t)
    await provider.goDown()
    const folder = createFolder(t)
    // Limits files to 2 or 4 MiB, because shells count in blocks of 512 or of 1,024 bytes.
    // NODE_OPTIONS is unset, because its hooks could let the signal, which Node ignores, end the process.
    const limited = ['sh', '-c', 'ulimit -f 4096 && unset NODE_OPTIONS && exec "$0" "$@"']
    const server = await startChildServerBy(t, limited, FIXTURE, folder, provider.dsn)
    const { accepted, post, postUntilRefused, assertArrived, logLines } = createClient(server, provider)
    await assertRefused(t, await postUntilRefused(50 * KIB))
    t.ok(accepted.size > 20)
    await provider.comeBack()
    await assertArrived(t)
    t.ok((await post(50 * KIB)).ok)
    await assertArrived(t)
    t.match(logLines(), [{ level: 40 }, { level: 30 }])
  }
)

t.test(
  'no rows stay on disk of an envelope during which the disk became full',
  { skip: lacksSmallDisks() },
  async (t) => {
    const provider = await openProvider(t)
    const folder = createFolder(t)
    const server = await startChildServerBy(t, onSmallDisk(folder, 40), FIXTURE, folder, provider.dsn)
    const { readMetric } = createClient(server, provider)
    const disk = lookAtDisk(server.pid, folder)
    async function* upload() {
      const header = JSON.stringify({ type: 'attachment', length: 2 * MIB })
      yield Buffer.from(`${JSON.stringify({ dsn: provider.dsn })}\n${header}\n`)
      yield Buffer.alloc(MIB)
      while ((await readMetric('bytes')) < MIB / 2) await pause()
      disk.fill()
      yield Buffer.alloc(MIB)
    }
    const request = { method: 'POST', body: Readable.toWeb(Readable.from(upload())), duplex: 'half' } as RequestInit
    await assertRefused(t, await fetch(`${server.origin}/monitoring`, request))
    disk.empty()
    while ((await readMetric('available')) === 0) await pause()
    t.equal(await readMetric('bytes'), 0)
  }
)
