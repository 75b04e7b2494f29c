import { on } from 'node:events'
import type { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import type { News } from '../../../src/store/inbox.ts'
import { createLive, type LiveMessage } from '../../../src/web/view-models/live.ts'

// Its timers keep no process alive.
const alive = setInterval(() => {}, 60_000)
t.teardown(() => clearInterval(alive))

/** An inbox whose events are emitted by the test. */
function createNews() {
  const listeners = new Set<(news: News) => void>()
  return {
    listeners,
    inbox: {
      onNews(listener: (news: News) => void) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      }
    },
    tell(issues: number[], alerting: number[] = [], over: Partial<News> = {}) {
      for (const listener of listeners) listener({ issues, alerting, ...over })
    }
  }
}

const welcome = async () => true

function open(t: Test, live: ReturnType<typeof createLive>, person = 1, isWelcome = welcome, age = 0): Readable {
  const stream = live.open(person, isWelcome, age)!
  t.teardown(() => stream.destroy())
  return stream
}

/** The messages of a stream as they arrive. */
async function* messagesOf(stream: Readable): AsyncGenerator<LiveMessage> {
  for await (const [chunk] of on(stream, 'data'))
    for (const [, json] of String(chunk).matchAll(/^data: (.*)$/gm)) yield JSON.parse(json!)
}

t.test('events within a pause become one message to each screen', async (t) => {
  const news = createNews()
  const live = createLive({ inbox: news.inbox, pause: 50 })
  const screens = [open(t, live), open(t, live, 2)].map(messagesOf)
  const received = screens.map((screen) => screen.next())
  news.tell([1, 2])
  news.tell([2, 3], [3])
  for (const message of received) t.same((await message).value, { issues: [1, 2, 3], alerting: [3] })
  const next = screens[0]!.next()
  news.tell([4])
  t.same((await next).value, { issues: [4], alerting: [] })
  const logs = screens[0]!.next()
  news.tell([], [], { hasLogs: true })
  t.same((await logs).value, { issues: [], alerting: [], hasLogs: true })
})

t.test('a screen hears nothing of issues that its person does not see', async (t) => {
  const news = createNews()
  const live = createLive({ inbox: news.inbox, pause: 10 })
  const select = async (issues: number[]) => issues.filter((id) => id === 2)
  const stream = live.open(1, welcome, 0, select)!
  t.teardown(() => stream.destroy())
  const messages = messagesOf(stream)
  const first = messages.next()
  const all = messagesOf(open(t, live, 2))
  const other = all.next()
  news.tell([1], [1])
  t.same((await other).value, { issues: [1], alerting: [1] })
  news.tell([1, 2], [1, 2])
  t.same((await first).value, { issues: [2], alerting: [2] })
})

t.test('a flood becomes one message that says so', async (t) => {
  const news = createNews()
  const live = createLive({ inbox: news.inbox, pause: 20 })
  const message = messagesOf(open(t, live)).next()
  news.tell(Array.from({ length: 5_000 }, (_, i) => i))
  const { issues, isCut } = (await message).value
  t.equal(issues.length, 200)
  t.equal(isCut, true)
})

t.test('a screen hears at once of events since it requested its data', async (t) => {
  const news = createNews()
  const live = createLive({ inbox: news.inbox, pause: 10 })
  t.equal(news.listeners.size, 0, 'nobody looks')
  const anything = { issues: [], alerting: [], isCut: true }
  t.same((await messagesOf(open(t, live, 1, welcome, 50)).next()).value, anything, 'nobody has listened before')
  await new Promise((resolve) => setTimeout(resolve, 60))
  const quiet = messagesOf(open(t, live, 2, welcome, 20)).next()
  news.tell([7])
  t.same((await quiet).value, { issues: [7], alerting: [] }, 'nothing had happened')
  t.same((await messagesOf(open(t, live, 3, welcome, 5_000)).next()).value, anything)
  live.close()
  t.equal(news.listeners.size, 0)
})

t.test('so many look and no more, of one person and of all', async (t) => {
  const live = createLive({ inbox: createNews().inbox })
  for (let i = 0; i < 12; i++) open(t, live)
  t.equal(live.open(1, welcome), undefined)
  for (let i = 12; i < 400; i++) open(t, live, i)
  t.equal(live.open(1_000, welcome), undefined)
})

t.test('a signed-out person gets no more messages', async (t) => {
  const live = createLive({ inbox: createNews().inbox, heartbeat: 10 })
  let isIn = true
  const stream = open(t, live, 1, async () => isIn)
  stream.resume()
  const ended = new Promise((resolve) => stream.once('end', resolve))
  isIn = false
  await ended
  t.pass('it has ended')
})

t.test('closing ends them all, and takes no more', async (t) => {
  const live = createLive({ inbox: createNews().inbox })
  const stream = open(t, live)
  stream.resume()
  const ended = new Promise((resolve) => stream.once('end', resolve))
  live.close()
  await ended
  t.equal(live.open(1, welcome), undefined)
})

t.test('nothing waits for a slow screen, which later hears that it missed something', async (t) => {
  const news = createNews()
  const live = createLive({ inbox: news.inbox, pause: 1 })
  const slow = open(t, live)
  const lengths: number[] = []
  for (let i = 0; i < 200; i++) {
    news.tell(Array.from({ length: 200 }, (_, n) => i * 1_000 + n))
    await new Promise((resolve) => setTimeout(resolve, 2))
    lengths.push(slow.readableLength)
  }
  t.ok(Math.max(...lengths) < 200_000, 'what waits for it is bounded')
  const messages = messagesOf(slow)
  const seen: LiveMessage[] = []
  while (!seen.some(({ isCut }) => isCut)) {
    const next = messages.next()
    news.tell([7])
    seen.push((await next).value)
  }
  t.pass('it was told')
})
