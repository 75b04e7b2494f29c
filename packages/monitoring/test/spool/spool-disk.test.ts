import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { startChildServerBy, type ChildServer } from '@hull/test-helpers/child-server.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { openProvider, type TestProvider } from '@hull/test-helpers/provider.ts'
import { keepSmallDisk, lacksSmallDisks, lookAtDisk, onSmallDisk } from '@hull/test-helpers/small-disk.ts'

/* A tunnel in a process of its own, on a disk with little space. */

const KIB = 1024
const MIB = 1024 ** 2
const FIXTURE = 'packages/monitoring/test/fixtures/tunnel-server.ts'

t.jobs = 4

function createClient({ origin, lines }: ChildServer, { dsn, received }: TestProvider) {
  /** Envelopes that were answered with 200, by event id. */
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

  /** The spool's metrics. */
  async function figure(name: 'envelopes' | 'bytes' | 'available'): Promise<number> {
    const metrics = await (await fetch(`${origin}/metrics`)).text()
    return Number(new RegExp(`^monitoring_spool_${name} (\\d+)$`, 'm').exec(metrics)![1])
  }

  return {
    accepted,
    post,
    figure,
    /** Posts envelopes until one is refused, and returns its response. */
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
    /** Everything that was accepted has arrived unchanged, and the spool is empty. */
    async arrived(t: Test) {
      while ((await figure('envelopes')) > 0) await pause()
      for (const [id, rest] of accepted)
        t.ok(
          received.some(({ header, body }) => header.event_id === id && body.toString() === rest),
          id
        )
    },
    troubles: () => lines.filter(({ msg }) => /cannot be stored|available again/.test(msg))
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 20))

async function isRefusal(t: Test, response: Response) {
  t.equal(response.status, 503)
  t.match(response.headers.get('x-sentry-error'), 'APP_MONITORING_SPOOL_UNAVAILABLE: ')
  t.ok(Number(response.headers.get('retry-after')) > 0)
}

t.test('a disk that is full to its last byte', { skip: lacksSmallDisks() }, async (t) => {
  const provider = await openProvider(t)
  await provider.goDown()
  const folder = createFolder(t)
  const server = await startChildServerBy(t, onSmallDisk(folder, 40), FIXTURE, folder, provider.dsn)
  const { accepted, post, postUntilAccepted, figure, arrived, troubles } = createClient(server, provider)
  const disk = lookAtDisk(server.pid, folder)
  for (let i = 0; i < 10; i++) t.ok((await post(50 * KIB)).ok)

  disk.fill()
  t.equal(disk.free, 0)
  for (const size of [32, 50 * KIB, 900 * KIB]) await isRefusal(t, await post(size))
  t.equal(await figure('envelopes'), 10, 'what was accepted stays')

  disk.empty()
  await provider.comeBack()
  await postUntilAccepted(32)
  t.ok((await post(900 * KIB)).ok)
  await arrived(t)
  t.equal(accepted.size, 12)
  t.equal(provider.received.length, 12, 'and nothing twice')
  t.match(troubles(), [{ level: 40 }, { level: 30 }], 'told once')
})

t.test(
  'a disk that the spool alone would fill has room again when it is delivered',
  { skip: lacksSmallDisks() },
  async (t) => {
    const provider = await openProvider(t)
    await provider.goDown()
    const folder = createFolder(t)
    const server = await startChildServerBy(t, onSmallDisk(folder, 20), FIXTURE, folder, provider.dsn)
    const { accepted, post, postUntilRefused, arrived } = createClient(server, provider)
    await isRefusal(t, await postUntilRefused(50 * KIB))
    await isRefusal(t, await post(900 * KIB))
    t.ok(accepted.size > 20)
    t.ok(lookAtDisk(server.pid, folder).free > MIB, 'some of it is left, for what makes room')
    await provider.comeBack()
    await arrived(t)
    t.ok((await post(900 * KIB)).ok)
    await arrived(t)
  }
)

t.test(
  'a full disk, a provider that is down and a restart lose nothing together',
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
    const { accepted, post, postUntilAccepted, figure, arrived } = createClient(server, provider)
    for (const [id, rest] of before.accepted) accepted.set(id, rest)
    await isRefusal(t, await post(50 * KIB))
    t.equal(await figure('envelopes'), 10, 'what was accepted is there')
    await provider.comeBack()
    await provider.has(10)
    t.equal(disk.free, 0, 'and delivered though there is no room')

    disk.empty()
    await postUntilAccepted(50 * KIB)
    await arrived(t)
    t.equal(provider.received.length, 11, 'and nothing twice')
  }
)

t.test('a disk that refuses what it has said there is room for', { skip: process.platform === 'win32' }, async (t) => {
  const provider = await openProvider(t)
  await provider.goDown()
  const folder = createFolder(t)
  // Limits files to 2 or 4 MiB: a shell counts in blocks of 512 or 1,024 bytes.
  // Hooks in NODE_OPTIONS could end the process by the signal that Node ignores.
  const limited = ['sh', '-c', 'ulimit -f 4096 && unset NODE_OPTIONS && exec "$0" "$@"']
  const server = await startChildServerBy(t, limited, FIXTURE, folder, provider.dsn)
  const { accepted, post, postUntilRefused, arrived, troubles } = createClient(server, provider)
  await isRefusal(t, await postUntilRefused(50 * KIB))
  t.ok(accepted.size > 20)
  await provider.comeBack()
  await arrived(t)
  t.ok((await post(50 * KIB)).ok)
  await arrived(t)
  t.match(troubles(), [{ level: 40 }, { level: 30 }])
})

t.test('of an envelope that found no more room nothing stays on the disk', { skip: lacksSmallDisks() }, async (t) => {
  const provider = await openProvider(t)
  const folder = createFolder(t)
  const server = await startChildServerBy(t, onSmallDisk(folder, 40), FIXTURE, folder, provider.dsn)
  const { figure } = createClient(server, provider)
  const disk = lookAtDisk(server.pid, folder)
  async function* upload() {
    const header = JSON.stringify({ type: 'attachment', length: 2 * MIB })
    yield Buffer.from(`${JSON.stringify({ dsn: provider.dsn })}\n${header}\n`)
    yield Buffer.alloc(MIB)
    while ((await figure('bytes')) < MIB / 2) await pause()
    disk.fill()
    yield Buffer.alloc(MIB)
  }
  const request = { method: 'POST', body: Readable.toWeb(Readable.from(upload())), duplex: 'half' } as RequestInit
  await isRefusal(t, await fetch(`${server.origin}/monitoring`, request))
  disk.empty()
  while ((await figure('available')) === 0) await pause()
  t.equal(await figure('bytes'), 0)
})
