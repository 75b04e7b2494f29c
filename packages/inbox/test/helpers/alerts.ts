import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import type { Test } from 'tap'
import { SMTPServer } from 'smtp-server'
import { listen } from '@hull/test-helpers/listen.ts'
import { createAlertLoop } from '../../src/alerts/loop.ts'
import { hasAlertWork } from '../../src/alerts/work.ts'
import type { MailOptions } from '../../src/alerts/mail.ts'
import type { AlertMessage, ChannelKind, RuleKind } from '../../src/alerts/types.ts'
import { changes } from '../../src/mutations/index.ts'
import type { ChannelInput } from '../../src/mutations/alert-types.ts'
import { queries } from '../../src/queries/index.ts'
import type { Inbox } from '../../src/store/inbox.ts'
import type { Level } from '../../src/store/model.ts'
import type { Store } from '../../src/store/store.ts'
import { createRawEvent, openWriter, type TestWriterOptions } from './writer.ts'

export interface ReceivedRequest {
  headers: IncomingHttpHeaders
  body: string
  message: AlertMessage
}

/** Starts a webhook on a free port of loopback, which answers 204 unless `answer` is replaced. */
export async function createReceiver(t: Test) {
  const requests: ReceivedRequest[] = []
  const receiver = {
    requests,
    url: '',
    answer: (response: ServerResponse): void => void response.writeHead(204).end()
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      requests.push({ headers: request.headers, body, message: JSON.parse(body) })
      receiver.answer(response)
    })
  })
  receiver.url = `${(await listen(t, server)).origin}/hook`
  return receiver
}

/** Starts a mail server on a free port of loopback. */
export async function createMailServer(t: Test) {
  /** Received mails, with unfolded lines. */
  const mails: string[] = []
  const state = { mails, isRefusing: false, checkTime: 0, mail: { url: '', from: 'Inbox <inbox@shop.example>' } }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onRcptTo: (_address, _session, callback) =>
      callback(state.isRefusing ? Object.assign(new Error('no such mailbox'), { responseCode: 550 }) : null),
    onData(stream, _session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        mails.push(
          Buffer.concat(chunks)
            .toString()
            .replace(/\r\n[ \t]+/g, ' ')
        )
        setTimeout(callback, state.checkTime)
      })
    }
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  t.teardown(close)
  state.mail.url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  return {
    ...state,
    close,
    refuse: (isRefusing: boolean) => void (state.isRefusing = isRefusing),
    /** Sets how many milliseconds the server needs to accept a mail. */
    takeTime: (checkTime: number) => void (state.checkTime = checkTime)
  }
}

/** Starts a mail server whose response to the first command does not end: each line announces another one. */
export async function createEndlessMailServer(t: Test) {
  const connections = new Set<Socket>()
  const server = createTcpServer((socket) => {
    connections.add(socket)
    let answer: NodeJS.Timeout | undefined
    socket.write('220 mail.shop.example\r\n')
    socket.once('data', () => (answer = setInterval(() => socket.write('250-mail.shop.example\r\n'), 100)))
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(answer)
      connections.delete(socket)
    })
  })
  const { port } = await listen(t, server)
  t.teardown(() => {
    for (const socket of connections) socket.destroy()
  })
  return { connections, mail: { url: `smtp://127.0.0.1:${port}`, from: 'Inbox <inbox@shop.example>' } }
}

/** Runs queries and changes in this thread, each change in a transaction. */
export const toInbox = (store: Store): Pick<Inbox, 'queries' | 'changes' | 'hasAlertWork'> => {
  const call = (table: object, run: (work: () => unknown) => unknown) =>
    Object.fromEntries(
      Object.entries(table as Record<string, (store: Store, input: unknown) => unknown>).map(([name, fn]) => [
        name,
        async (input: unknown) => run(() => fn(store, input))
      ])
    )
  return {
    queries: call(queries, (work) => work()),
    changes: call(changes, (work) => store.transaction(work)),
    hasAlertWork: async (input) => hasAlertWork(store, input)
  } as Pick<Inbox, 'queries' | 'changes' | 'hasAlertWork'>
}

/** A log that prints nothing, and fails the test on an error. */
const logOf = (t: Test) => ({
  info: () => {},
  warn: () => {},
  error: (details: object, message: string) => void t.fail(message, details)
})

export const NOON = Date.UTC(2026, 10, 21, 12)

/** Opens an inbox whose alerts are sent to a receiver, with a clock that the test controls. */
export async function openAlerts(
  t: Test,
  { allowPrivate = true, mail, ...options }: TestWriterOptions & { allowPrivate?: boolean; mail?: MailOptions } = {}
) {
  let time = NOON
  let jump = 0
  const now = () => time
  const wall = () => time + jump
  const { writer, store, send, tidy } = openWriter(t, { now: wall, steady: now, ...options })
  const receiver = await createReceiver(t)
  const inbox = toInbox(store)
  const loop = createAlertLoop({
    inbox,
    log: logOf(t),
    baseUrl: 'https://inbox.example',
    allowPrivate,
    ...(mail && { mail }),
    now,
    wall
  })
  t.teardown(loop.close)

  return {
    inbox,
    store,
    writer,
    tidy,
    receiver,
    loop,
    now,
    wall,
    /** Sets the wall clock ahead, which the loop does not trust at first. */
    setAhead: (ms: number) => void (jump = ms),
    /** Moves the clock. */
    pass: (ms: number) => void (time += ms),
    /** Moves the clock, and runs the loop once. */
    async turn(ms = 1_000): Promise<void> {
      time += ms
      await loop.run()
    },
    /** Stores an event with this error. */
    fail: (type: string, over: Record<string, unknown> = {}) =>
      send(
        createRawEvent({
          timestamp: wall() / 1_000,
          exception: { values: [{ type, value: 'it is broken' }] },
          ...over
        }),
        { receivedAt: wall() }
      ),
    /**
     * Creates a channel, by default to the receiver.
     * @returns its id
     */
    addChannel: (over: Partial<ChannelInput> & { kind?: ChannelKind } = {}) =>
      inbox.changes.createChannel({
        kind: 'webhook',
        name: 'Team',
        target: receiver.url,
        groupMinutes: 1,
        quietFrom: '',
        quietUntil: '',
        zone: 'UTC',
        ...over
      }),
    addRule: (
      channel: number,
      kind: RuleKind = 'new',
      project = 1,
      environments: string[] = [],
      level: Level = 'debug'
    ) => inbox.changes.createRule({ project, kind, channel, environments, level }),
    titles: () => receiver.requests.map(({ message }) => message.title)
  }
}
