import { on } from 'node:events'
import type { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import type { News } from '../../../src/store/inbox.ts'
import { createLive } from '../../../src/web/view-models/live.ts'

// Keeps the process alive, because the timers of the live streams are unref()ed.
const alive = setInterval(() => {}, 60_000)
t.teardown(() => clearInterval(alive))

/** Creates an inbox whose changes the test announces. */
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
    announce(issues: number[], over: Partial<News> = {}) {
      for (const listener of listeners) listener({ issues, ...over })
    }
  }
}

const welcome = async () => true

function open(t: Test, live: ReturnType<typeof createLive>, person = 1, isWelcome = welcome, age = 0): Readable {
  const stream = live.open(person, isWelcome, age)!
  t.teardown(() => stream.destroy())
  return stream
}

/** Messages of a stream, as they arrive. */
async function* messagesOf(stream: Readable): AsyncGenerator<News> {
  for await (const [chunk] of on(stream, 'data'))
    for (const [, json] of String(chunk).matchAll(/^data: (.*)$/gm)) yield JSON.parse(json!)
}

t.test('changes within a pause are sent to each page in one message', async (t) => {
  const news = createNews()
  const live = createLive({ inbox: news.inbox, pause: 50 })
  const screens = [open(t, live), open(t, live, 2)].map(messagesOf)
  const received = screens.map((screen) => screen.next())
  news.announce([1, 2])
  news.announce([2, 3])
  for (const message of received) t.same((await message).value, { issues: [1, 2, 3] })
  const next = screens[0]!.next()
  news.announce([4])
  t.same((await next).value, { issues: [4] })
  const logs = screens[0]!.next()
  news.announce([], { hasLogs: true })
  t.same((await logs).value, { issues: [], hasLogs: true })
})

t.test('a page receives no message about issues that its person cannot read', async (t) => {
  const news = createNews()
  const live = createLive({ inbox: news.inbox, pause: 10 })
  const select = async (issues: number[]) => issues.filter((id) => id === 2)
  const stream = live.open(1, welcome, 0, select)!
  t.teardown(() => stream.destroy())
  const messages = messagesOf(stream)
  const first = messages.next()
  const all = messagesOf(open(t, live, 2))
  const other = all.next()
  news.announce([1])
  t.same((await other).value, { issues: [1] })
  news.announce([1, 2])
  t.same((await first).value, { issues: [2] })
})

t.test('a message about too many issues is cut, and marked as cut', async (t) => {
  const news = createNews()
  const live = createLive({ inbox: news.inbox, pause: 20 })
  const message = messagesOf(open(t, live)).next()
  news.announce(Array.from({ length: 5_000 }, (_, i) => i))
  const { issues, isCut } = (await message).value
  t.equal(issues.length, 200)
  t.equal(isCut, true)
})

t.test('a page that requested its data before it connected receives the changes since then', async (t) => {
  const news = createNews()
  const live = createLive({ inbox: news.inbox, pause: 10 })
  t.equal(news.listeners.size, 0, 'no subscription without a page')
  const anything = { issues: [], isCut: true }
  t.same((await messagesOf(open(t, live, 1, welcome, 50)).next()).value, anything, 'the inbox was not observed before')
  await new Promise((resolve) => setTimeout(resolve, 60))
  const quiet = messagesOf(open(t, live, 2, welcome, 20)).next()
  news.announce([7])
  t.same((await quiet).value, { issues: [7] }, 'no message about earlier changes, because there were none')
  t.same((await messagesOf(open(t, live, 3, welcome, 5_000)).next()).value, anything)
  live.close()
  t.equal(news.listeners.size, 0)
})

t.test('the number of streams is limited, for one person and in total', async (t) => {
  const live = createLive({ inbox: createNews().inbox })
  for (let i = 0; i < 12; i++) open(t, live)
  t.equal(live.open(1, welcome), undefined)
  for (let i = 12; i < 400; i++) open(t, live, i)
  t.equal(live.open(1_000, welcome), undefined)
})

t.test('the stream of a signed-out person ends', async (t) => {
  const live = createLive({ inbox: createNews().inbox, heartbeat: 10 })
  let isIn = true
  const stream = open(t, live, 1, async () => isIn)
  stream.resume()
  const ended = new Promise((resolve) => stream.once('end', resolve))
  isIn = false
  await ended
  t.pass('the stream has ended')
})

t.test('closing ends all streams, and refuses new ones', async (t) => {
  const live = createLive({ inbox: createNews().inbox })
  const stream = open(t, live)
  stream.resume()
  const ended = new Promise((resolve) => stream.once('end', resolve))
  live.close()
  await ended
  t.equal(live.open(1, welcome), undefined)
})

t.test('the buffer of a slow page is limited, and the page is notified that messages were left out', async (t) => {
  const news = createNews()
  const live = createLive({ inbox: news.inbox, pause: 1 })
  const slow = open(t, live)
  const lengths: number[] = []
  for (let i = 0; i < 200; i++) {
    news.announce(Array.from({ length: 200 }, (_, n) => i * 1_000 + n))
    await new Promise((resolve) => setTimeout(resolve, 2))
    lengths.push(slow.readableLength)
  }
  t.ok(Math.max(...lengths) < 200_000, 'the buffer is limited')
  const messages = messagesOf(slow)
  const seen: News[] = []
  while (!seen.some(({ isCut }) => isCut)) {
    const next = messages.next()
    news.announce([7])
    seen.push((await next).value)
  }
  t.pass('the page is notified')
})
