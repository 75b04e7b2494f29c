import t from 'tap'
import { decodePayload, ReceivedValues } from '../../src/client/page-data/payload.ts'
import type { Codec, PagePayload, PageProblem } from '../../src/routing/payload.ts'
import { createListeningApp, createTestApp } from '@hull/test-helpers/app.ts'
import { postForm } from '@hull/test-helpers/post-form.ts'
import { readElement } from '@hull/test-helpers/html.ts'
import { RawClient, request } from '@hull/test-helpers/raw-client.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'

const site = await buildFixtureSite()

const shownBy = (problem: PageProblem): PagePayload =>
  decodePayload(problem.payload, problem.codec, new ReceivedValues())

t.test('a refused navigation has the same result as a document', async (t) => {
  const { app } = await createTestApp(t, { site, env: { SIGN_IN_PATH: '/sign-in' } })
  for (const what of ['unauthorized', 'forbidden', 'missing']) {
    const url = `/outcome/data/${what}`
    const document = await app.inject({ url, headers: { accept: 'text/html' } })
    const { text, attributes } = readElement(document.body, 'hull-payload')
    const problem = (await app.inject(`/-/data${url}`)).json()
    t.strictSame(shownBy(problem), decodePayload(text, attributes['data-codec'] as Codec, new ReceivedValues()), what)
    t.match(shownBy(problem), { page: null, layouts: ['default'], outcome: problem.outcome, meta: problem.meta })
  }
})

t.test('a refused form has the same result, and other programs get no payload', async (t) => {
  const { app } = await createTestApp(t, { site })
  const posted = await postForm(app, '/outcome/action/missing', { a: 'b' }, { accept: 'application/json' })
  t.equal(posted.statusCode, 404)
  t.match(shownBy(posted.json()), { pathname: '/outcome/action/missing', outcome: { status: 404 } })
  const response = await app.inject({ url: '/outcome/data/missing', headers: { accept: 'application/json' } })
  t.notOk('payload' in response.json())
})

t.test('a navigation that fails shows the error in its layout, with the digest of the log line', async (t) => {
  const { app, logs } = await createTestApp(t, { site })
  const response = await app.inject('/-/data/fail/data')
  const [{ digest } = { digest: '' }] = logs.takeErrors()
  t.match(shownBy(response.json()), {
    page: null,
    layouts: ['default'],
    meta: { title: 'Application error', robots: 'noindex' },
    error: { side: 'server', digest }
  })
})

t.test('page data of a streaming page', async (t) => {
  const { app, logs, origin, port } = await createListeningApp(t, { site, env: { RENDER_TIMEOUT: '2s' } })

  for (const coding of ['identity', 'br', 'gzip', 'zstd'])
    t.test(`is sent before its late part, with the encoding ${coding}`, async (t) => {
      const response = await fetch(`${origin}/-/data/stream?hold=200`, { headers: { 'accept-encoding': coding } })
      const lines = await readLines(response)
      t.equal(lines.chunks > 1, true, 'in several chunks')
      t.equal(response.headers.get('x-payload-codec'), 'stream')
      const late = new ReceivedValues()
      const payload = decodePayload(lines.first, response.headers.get('x-payload-codec') as Codec, late)
      const data = payload.data as { title: string; late: Promise<{ text: string }> }
      t.equal(data.title, 'Shell')
      decodePayload(lines.text, 'devalue', late)
      t.match(await data.late, { text: /^Late/ })
    })

  t.test('ends at the timeout, with each pending promise as a failure', async (t) => {
    const text = await (await fetch(`${origin}/-/data/stream?late=never`)).text()
    const [{ digest } = { digest: 'none' }] = logs.takeErrors()
    t.match(text.trimEnd().split('\n')[1], `"digest\\":\\"${String(digest)}`)
  })

  t.test('ends when the visitor leaves, and reports nothing', async (t) => {
    const client = await RawClient.open(port)
    client.send(request('GET /-/data/stream?late=never HTTP/1.1', ['Host: localhost']))
    await client.until('Shell')
    client.socket.destroy()
    while (app.drain.inFlight > 0) await new Promise((resolve) => setTimeout(resolve, 10))
    t.same(logs.takeErrors(), [])
  })
})

t.test('every document names its build', async (t) => {
  const { app, logs } = await createTestApp(t, { site })
  for (const url of [
    '/about',
    '/stream',
    '/cached',
    '/nowhere',
    '/outcome/data/forbidden',
    '/fail/data',
    '/document'
  ]) {
    const { headers } = await app.inject({ url, headers: { accept: 'text/html' } })
    t.equal(headers['x-build'], app.hull.buildId, url)
  }
  t.equal(logs.takeErrors().length, 1)
  t.notOk('x-build' in (await app.inject('/robots.txt')).headers, 'other responses do not')
})

async function readLines(response: Response) {
  const decoder = new TextDecoder()
  let text = ''
  let chunks = 0
  let first: string | undefined
  for await (const chunk of response.body!) {
    chunks++
    text += decoder.decode(chunk, { stream: true })
    first ??= text.split('\n')[0]!
  }
  return { text, chunks, first: first! }
}
