import t from 'tap'
import { request } from 'undici'
import type { LogLine } from '@hull/test-helpers/log-recorder.ts'
import { startFaultyServer } from '@hull/test-helpers/faults.ts'
import { eventually, PATIENCE } from '@hull/test-helpers/patience.ts'
import { listThrowCases, type ThrowCase } from '@hull/test-helpers/throw-cases.ts'

const CONCURRENCY = 24

/**
 * Each value is thrown in every third combination of place, page and kind of request. The next value is thrown in the
 * next third.
 */
const SHARE = 3

/** Parts of an internal error that a visitor must not see: its message, a stack, a path of the machine. */
const INTERNAL = /secret|teapot|\.hull\/sites|file:\/\/|node_modules|\n\s+at /

const server = await startFaultyServer(t, '10m')

interface Answer {
  status: number
  id: string
  text: string
}

async function ask({ url, method, accept }: Pick<ThrowCase, 'url' | 'method' | 'accept'>): Promise<Answer> {
  // With fetch, the thousands of requests would need most of the CPU time of this file.
  const { statusCode, headers, body } = await request(server.origin + url, {
    method,
    headers: {
      accept,
      origin: server.origin,
      'sec-fetch-site': 'same-origin',
      ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' })
    },
    signal: AbortSignal.timeout(PATIENCE),
    body: method === 'POST' ? 'name=Ada' : null
  })
  // The Location header of a redirect repeats the query.
  const text = `${JSON.stringify(headers)}\n${await body.text()}`
  return { status: statusCode, id: String(headers['x-request-id'] ?? ''), text }
}

/** Returns a description of what is wrong with a response, or undefined. */
function findFault(wanted: ThrowCase, { status, text }: Answer, lines: LogLine[]): string | undefined {
  if (!wanted.statuses.includes(status)) return `answered ${status}, not ${wanted.statuses.join(' or ')}`
  const internal = INTERNAL.exec(text)
  if (internal) return `shows "${text.slice(internal.index, internal.index + 80)}"`
  const most = wanted.framesFail ? 2 : 1
  if (wanted.fails ? lines.length < 1 || lines.length > most : lines.length > most - 1)
    return `logged ${lines.length} errors`
  const digest = lines[0]?.digest
  if (wanted.fails && wanted.method !== 'HEAD' && !text.includes(String(digest)))
    return `does not show ${String(digest)}`
  return undefined
}

/** Returns the error lines since the last call, by request id. */
async function takeLines(): Promise<Map<string, LogLine[]>> {
  // Log lines are received in order, so those of earlier requests are here when this request is logged.
  const { id } = await ask({ url: '/throw/buffered?place=getData&throw=error', method: 'GET', accept: 'text/html' })
  await eventually(() => server.lines.some(({ reqId }) => reqId === id))
  // On a busy machine the layout around an error page can time out.
  const lines = server.takeErrors().filter((line) => line.reqId !== id && codeOf(line) !== 'APP_RENDER_TIMEOUT')
  server.lines.length = 0
  return Map.groupBy(lines, ({ reqId }) => String(reqId))
}

const codeOf = ({ err }: LogLine) => (err as { code?: string } | undefined)?.code

const readHeap = async () => Number((await server.get('/heap')).body)

const { body } = await server.get('/-/data/throw/names')
const { data: names } = JSON.parse(body) as { data: string[] }
let heap = 0

for (const [index, name] of names.entries()) {
  t.test(`${name}, thrown in every place of a page, has a response for every kind of request`, async (t) => {
    const cases = listThrowCases(name).filter((_case, at) => at % SHARE === index % SHARE)
    const answers = new Map<ThrowCase, Answer>()
    const faults: string[] = []
    const left = cases.values()
    async function work() {
      for (const one of left)
        await ask(one).then(
          (answer) => answers.set(one, answer),
          (error: Error) => faults.push(`${one.title}: ${error.message}`)
        )
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, work))
    const lines = await takeLines()
    for (const [one, answer] of answers) {
      const fault = findFault(one, answer, lines.get(answer.id) ?? [])
      lines.delete(answer.id)
      if (fault !== undefined) faults.push(`${one.title}: ${fault}`)
    }
    t.same(faults, [])
    const others = [...lines.values()].flat()
    t.same(name === 'promise rejected' ? others.filter(({ msg }) => msg !== 'unhandled rejection') : others, [])
    await server.checkAlive(t, name)
    heap ||= await readHeap()
  })
}

t.test('memory does not double', async (t) => {
  const now = await readHeap()
  t.ok(now < 2 * heap, `${heap} bytes after the first value, ${now} after the last`)
})
