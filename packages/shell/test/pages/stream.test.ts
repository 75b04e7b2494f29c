import { request as send, type IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib'
import t from 'tap'
import { EARLY_ERRORS } from '../../../monitoring/src/server-sdk/early-errors.ts'
import { createListeningApp, createTestApp } from '@hull/test-helpers/app.ts'
import { scanScripts } from '@hull/test-helpers/html.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { RawClient, request } from '@hull/test-helpers/raw-client.ts'
import { buildFixtureSite, buildSite } from '@hull/test-helpers/site.ts'
import { hang, hangInBody, openUnrulyServer } from '@hull/test-helpers/unruly-server.ts'

const site = await buildFixtureSite()

const get = (url: string, headers: string[] = []) => request(`GET ${url} HTTP/1.1`, ['Host: localhost', ...headers])

t.test('the first part is received before the late part', async (t) => {
  const { port } = await createListeningApp(t, { site })
  const client = (await RawClient.open(port)).send(get('/stream?hold=500'))
  const early = await client.until('id="waiting"')
  t.notMatch(early, 'id="late"')
  t.match(early, /<script type="module" src="[^"]+" async/, 'the script is in the first part')
  const { status, headers, body } = await client.answer()
  t.equal(status, 200)
  t.equal(headers['transfer-encoding'], 'chunked')
  t.match(body, /<p id="late">Late &lt;\/script&gt;.*1970-01-01T00:00:00\.000Z.*even later<\/p>/)
  t.match(body, /<\/html>\s+0\s+$/)
})

// While a boundary outside of an element is pending, React sends nothing, because the boundary could contain the
// `<html>`.
t.test('a page without an element around its late part is inside of the root, before its late values', async (t) => {
  const write = (component: string) => `import { Suspense, use } from 'react'
    export const streaming = true
    export const layout = null
    export const getData = () => ({ late: new Promise((resolve) => setTimeout(resolve, 50, 'late')) })
    const Late = ({ late }) => <p>{use(late)}</p>
    export default ({ data: { late } }) => ${component}`
  const pages = {
    'part.tsx': write('<><h1>Part</h1><Suspense><Late late={late} /></Suspense></>'),
    'whole.tsx': write('<main><h1>Whole</h1><Late late={late} /></main>')
  }
  const { app } = await createTestApp(t, { site: await buildSite(t.testdir({ layouts: {}, pages })) })
  for (const path of ['/part', '/whole']) {
    const { body } = await app.inject(path)
    t.match(body, /<div id="root"><!--\$-->.*<h1>.*<p>late<\/p>.*<\/div><script type="module".*\$late.*<\/body>/s)
  }
})

for (const [coding, createDecoder] of [
  ['br', createBrotliDecompress],
  ['gzip', createGunzip],
  ['zstd', createZstdDecompress]
] as const) {
  t.test(`compressed with ${coding}, the first part is also received before the late part`, async (t) => {
    const { port } = await createListeningApp(t, { site })
    const response = await open(port, '/stream?hold=500', coding)
    t.equal(response.headers['content-encoding'], coding)
    t.match(response.headers.vary, 'accept-encoding')
    const decoder: Transform = response.pipe(createDecoder())
    let text = ''
    let early = ''
    for await (const chunk of decoder) {
      text += String(chunk)
      if (text.includes('id="waiting"')) early ||= text
    }
    t.notMatch(early, 'id="late"')
    t.match(text, 'id="late"')
    t.match(text, '</html>')
  })
}

t.test('every script has the nonce of the policy, and each response another nonce', async (t) => {
  const { app } = await createTestApp(t, { site })
  const nonces = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const { headers, body } = await app.inject('/stream?hold=50')
      t.equal(headers['cache-control'], 'no-store')
      const [, nonce] = /script-src [^;]*'nonce-([\w-]{22})'/.exec(String(headers['content-security-policy'])) ?? []
      // The script that records early errors is constant, and allowed by its hash.
      const scripts = scanScripts(body).filter(
        ({ attributes, text }) => attributes.type !== 'application/json' && text !== EARLY_ERRORS
      )
      t.ok(scripts.length >= 4, 'entry, late values, React')
      t.ok(scripts.every(({ attributes }) => attributes.nonce === nonce))
      t.notMatch(body, '<script>alert(1)')
      return nonce
    })
  )
  t.equal(new Set(nonces).size, 10)
})

t.test('asks nginx not to buffer streams only', async (t) => {
  const { app } = await createTestApp(t, { site })
  for (const [url, wanted] of [
    ['/stream?hold=50', 'no'],
    ['/-/data/stream?hold=50', 'no'],
    ['/about', undefined]
  ] as const)
    t.equal((await app.inject(url)).headers['x-accel-buffering'], wanted, url)
})

t.test('a policy that a page sets is sent, with the nonce', async (t) => {
  const { app } = await createTestApp(t, { site })
  const policy = "script-src 'self'; frame-src https://pay.example"
  const { headers, body } = await app.inject(`/stream?policy=${encodeURIComponent(policy)}`)
  const [, nonce] = /^script-src 'self' 'nonce-([\w-]{22})'; frame-src https:\/\/pay\.example$/.exec(
    String(headers['content-security-policy'])
  )!
  t.match(body, `nonce="${nonce}"`)
})

t.test('an outcome before the first part has its own status code', async (t) => {
  const { app } = await createTestApp(t, { site })
  const response = await app.inject('/stream?early')
  t.equal(response.statusCode, 404)
  t.notMatch(response.headers['content-security-policy'], 'nonce')
})

t.test('an outcome after the first part keeps the status code 200, and is sent to the browser', async (t) => {
  const { app } = await createTestApp(t, { site })
  // 300 ms for the first part. An outcome before its end sets the status code.
  const missing = await app.inject('/stream?late=missing&hold=300')
  t.equal(missing.statusCode, 200)
  t.match(missing.body, 'APP_NOT_FOUND')
  const redirect = await app.inject('/stream?late=redirect&hold=300')
  t.equal(redirect.statusCode, 200)
  t.match(redirect.body, /\\"to\\":\\"\/about\\"/)
})

t.test('a late failure shows the digest of its only log line, and no detail of the error', async (t) => {
  const { app, logs } = await createTestApp(t, { site })
  const { body } = await app.inject('/fail/late')
  const errors = logs.takeErrors()
  t.equal(errors.length, 1)
  t.match(body, String(errors[0]?.digest))
  t.notMatch(body, 'secret late detail')
})

t.test('reports a late failure with any status, including 499', async (t) => {
  const { app, logs } = await createTestApp(t, { site })
  for (const path of ['/fail/late-component?status=500', '/fail/late-component?status=499']) {
    const { body } = await app.inject(path)
    const errors = logs.takeErrors()
    t.match(errors, [{ err: { message: /secret late/ }, digest: /^[0-9A-Z]{12}$/ }], path)
    t.match(body, String(errors[0]?.digest))
  }
})

t.test('RENDER_TIMEOUT ends a stream that waits without end', async (t) => {
  const { app, logs } = await createTestApp(t, { site, env: { RENDER_TIMEOUT: '300ms' } })
  const { statusCode, body } = await app.inject('/stream?late=never')
  t.equal(statusCode, 200)
  t.match(body, '</html>')
  const errors = logs.takeErrors()
  t.equal(errors.length, 1)
  t.match(errors[0], { err: { code: 'APP_RENDER_TIMEOUT' } })
  t.match(body, String(errors[0]?.digest))
})

t.test('HEAD has only the headers', async (t) => {
  const { port } = await createListeningApp(t, { site })
  const client = (await RawClient.open(port)).send(get('/stream?hold=1').replace('GET', 'HEAD'))
  const { status, headers, body } = await client.answer()
  t.equal(status, 200)
  t.equal(body, '')
  t.match(headers['content-security-policy'], 'nonce')
})

for (const [where, behaviour] of [
  ['has sent no response', hang],
  ['has sent a part of its response', hangInBody]
] as const) {
  t.test(`a visitor who leaves ends the render, and the fetch whose server ${where}`, async (t) => {
    const { port, logs } = await createListeningApp(t, { site })
    const upstream = await openUnrulyServer(t)
    upstream.will(behaviour)
    const client = (await RawClient.open(port)).send(get(`/upstream?from=${encodeURIComponent(upstream.origin)}`))
    await client.until('id="waiting"')
    client.socket.resetAndDestroy()
    await upstream.abandoned
    await eventually(() => logs.lines.some(({ msg }) => msg === 'upstream page was aborted'))
    t.match(
      logs.lines.find(({ msg }) => msg === 'upstream page was aborted'),
      { reason: 'AbortError' }
    )
    await new Promise((resolve) => setTimeout(resolve, 50))
    t.same(logs.takeErrors(), [])
  })
}

t.test('a visitor who leaves before the first part ends getData, without an error', async (t) => {
  const { port, logs } = await createListeningApp(t, { site })
  const client = (await RawClient.open(port)).send(get('/hang?in=data'))
  await new Promise((resolve) => setTimeout(resolve, 100))
  client.socket.destroy()
  await eventually(() => logs.lines.some(({ msg }) => msg === 'hang was aborted'))
  t.match(
    logs.lines.find(({ msg }) => msg === 'hang was aborted'),
    { reason: 'AbortError' }
  )
  await new Promise((resolve) => setTimeout(resolve, 50))
  t.same(logs.takeErrors(), [])
})

function open(port: number, path: string, coding: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    send({ port, path, host: '127.0.0.1', headers: { 'accept-encoding': coding } }, resolve)
      .on('error', reject)
      .end()
  })
}
