import t from 'tap'
import { decodePayload, ReceivedValues } from '../../src/client/page-data/payload.ts'
import { startFaultyServer } from '@hull/test-helpers/faults.ts'

const server = await startFaultyServer(t, '1s')
const { get, checkAlive } = server

const failures = () => server.lines.filter(({ msg }) => msg === 'request failed')

for (const how of ['rejected', 'resolved', 'a timer', 'pending']) {
  for (const page of ['render', 'stream']) {
    for (const below of ['', '&below']) {
      t.test(`${page}: a component that never stops suspending (${how}${below}) ends at RENDER_TIMEOUT`, async (t) => {
        const { length } = failures()
        // Other requests are served while it renders.
        const [{ status, body }, home] = await Promise.all([
          get(`/hang/${page}?how=${encodeURIComponent(how)}${below}`),
          get('/')
        ])
        t.equal(home.status, 200)
        const isOut = page === 'stream'
        t.equal(status, isOut ? 200 : 500)
        const [line, ...others] = failures().slice(length)
        t.match(line, { err: { code: 'APP_RENDER_TIMEOUT' } })
        t.same(others, [])
        t.match(body, String(line?.digest))
        t.notMatch(body, 'secret')
        await checkAlive(t, how)
      })
    }
  }
}

t.test('a promise that leads to itself is sent once', async (t) => {
  const { status, body, headers } = await get('/-/data/hang/data?how=back')
  t.equal(status, 200)
  t.equal(body.split('\n').length, 2)
  const { data } = decodePayload(body, headers.get('x-payload-codec') as 'devalue', new ReceivedValues())
  const { author } = data as { author: { posts: Promise<{ name: string; posts: unknown }> } }
  const again = await author.posts
  t.equal(again.name, 'Ada')
  t.equal(again.posts, author.posts)
  for (const page of ['data', 'data-stream']) t.equal((await get(`/hang/${page}?how=back`)).status, 200, page)
})

t.test('an endless chain of promises is refused at the 1,001st', async (t) => {
  for (const url of ['/hang/data', '/hang/data-stream', '/-/data/hang/data', '/-/data/hang/data-stream']) {
    const { length } = failures()
    const { status } = await get(`${url}?how=on`)
    t.equal(status, 200, url)
    const [line, ...others] = failures().slice(length)
    t.match(line, {
      err: {
        code: 'APP_PAYLOAD_UNSERIALISABLE',
        message: /\.data\.start → \.next → .* of client\/pages\/hang\/data.*one promise more than the 1000/
      }
    })
    t.same(others, [])
  }
  await checkAlive(t, 'promises without end')
})
