import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import Fastify from 'fastify'
import t from 'tap'
import { createLogger, createRequestId, RequestLineFilter } from '../../src/server/logger.ts'

const SETTINGS = { logLevel: 'info', release: 'r1', environment: 'staging' } as const

function createRecorder(settings: Parameters<typeof createLogger>[0] = SETTINGS) {
  const lines: Array<Record<string, unknown>> = []
  const logger = createLogger(settings, {
    write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>)
  })
  return { logger, lines }
}

t.test('a line is JSON with time, level, release and environment', async (t) => {
  const { logger, lines } = createRecorder()
  logger.info({ answer: 42 }, 'hello\nworld')
  t.match(lines, [
    {
      level: 30,
      msg: 'hello\nworld',
      answer: 42,
      release: 'r1',
      environment: 'staging',
      pid: process.pid,
      time: Number
    }
  ])
})

t.test('an error is logged with its stack, its code and its cause', async (t) => {
  const { logger, lines } = createRecorder()
  logger.error({ err: Object.assign(new Error('outer', { cause: new Error('inner') }), { code: 'APP_X' }) }, 'failed')
  t.match(lines[0], { level: 50, err: { message: /outer.*inner/, code: 'APP_X', stack: /logger\.test\.ts/ } })
})

t.test('lines below LOG_LEVEL are not written', async (t) => {
  const { logger, lines } = createRecorder({ ...SETTINGS, logLevel: 'warn' })
  logger.info('no')
  logger.warn('yes')
  t.same(
    lines.map(({ msg }) => msg),
    ['yes']
  )
})

t.test('cookies and credentials are not written', async (t) => {
  const { logger, lines } = createRecorder()
  const headers = { cookie: 'session=hush', authorization: 'Bearer hush', accept: 'x' }
  logger.info({ headers })
  logger.info({ req: { headers } })
  logger.info({ res: { headers: { 'set-cookie': 'session=hush' } } })
  t.equal(lines.length, 3)
  t.notMatch(JSON.stringify(lines), 'hush')
  t.match(lines[0], { headers: { accept: 'x' } })
})

t.test('a request id is unique, or a valid one of a trusted peer', async (t) => {
  const message = (id?: string | string[], remoteAddress = '10.0.0.1') =>
    ({ headers: { 'x-request-id': id }, socket: { remoteAddress } }) as unknown as IncomingMessage
  const trusting = createRequestId((address, hop) => address === '10.0.0.1' && hop === 0)
  for (const id of ['12345678', 'a.b-c_d0123', 'x'.repeat(128)]) t.equal(trusting(message(id)), id)
  for (const id of [
    undefined,
    '',
    '1234567',
    'x'.repeat(129),
    'with space',
    '<script>',
    'ünicode-id',
    'a\r\nb-12345',
    ['12345678']
  ])
    t.match(trusting(message(id)), /^[\da-f-]{36}$/, JSON.stringify(id))
  t.match(trusting(message('12345678', '10.0.0.2')), /^[\da-f-]{36}$/, 'not of another peer')
  const suspicious = createRequestId(false)
  t.match(suspicious(message('12345678')), /^[\da-f-]{36}$/)
  t.not(suspicious(message()), suspicious(message()))
})

t.test('lines of Fastify for each request are omitted, and its warnings and errors are kept', async (t) => {
  const { logger, lines } = createRecorder()
  const app = Fastify({ loggerInstance: logger, logController: new RequestLineFilter() })
  t.teardown(() => app.close())
  app.get('/well', async () => 'well')
  app.get('/cut', async (_request, reply) => {
    const body = new PassThrough()
    body.write('first')
    setTimeout(() => body.destroy(new Error('cut off')), 20)
    return reply.send(body)
  })
  app.get('/bad-header', async (_request, reply) => reply.header('x-bad', 'line\nbreak').send('x'))
  await app.inject('/well')
  await app.inject('/nowhere')
  t.same(lines, [])
  await app.inject('/cut').catch(() => {})
  t.match(lines.splice(0), [{ level: 40, err: { message: 'cut off' } }])
  await app.inject('/bad-header?token=hush').catch(() => {})
  t.match(lines.at(-1), { level: 40, req: { method: 'GET', path: '/bad-header' }, err: { code: 'ERR_INVALID_CHAR' } })
  t.notMatch(JSON.stringify(lines), 'hush')
})
