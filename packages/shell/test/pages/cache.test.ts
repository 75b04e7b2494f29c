import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { postForm } from '@hull/test-helpers/post-form.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'

const site = await buildFixtureSite()

async function createVisitor(t: Test, env?: Record<string, string>) {
  const { app, logs } = await createTestApp(t, { site, env })
  const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })
  const renderOf = async (url: string) => (await get(url)).body.match(/render (\d+)</)?.[1]
  return { app, logs, get, renderOf }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

t.test('concurrent requests share one render', async (t) => {
  const { renderOf } = await createVisitor(t)
  const renders = await Promise.all(Array.from({ length: 50 }, () => renderOf('/cached?wait=50')))
  t.equal(new Set(renders).size, 1)
  t.ok(renders[0])
  t.equal(await renderOf('/cached?wait=50'), renders[0], 'a later request gets the same document')
})

t.test('a stale document is served while one render replaces it', async (t) => {
  const { renderOf } = await createVisitor(t)
  const first = await renderOf('/cached?wait=20')
  await pause(1_050)
  t.same(await Promise.all([1, 2, 3].map(() => renderOf('/cached?wait=20'))), [first, first, first])
  await pause(200)
  t.equal(await renderOf('/cached?wait=20'), String(Number(first) + 1))
})

t.test('the header Age has the age of the document', async (t) => {
  const { get } = await createVisitor(t)
  t.equal((await get('/cached?age')).headers['age'], undefined)
  await pause(1_050)
  t.equal((await get('/cached?age')).headers['age'], '1')
})

t.test('the key has the query, and whether the document or its data is requested', async (t) => {
  const { app, get, renderOf } = await createVisitor(t)
  t.not(await renderOf('/cached?a'), await renderOf('/cached?b'))
  const document = await get('/cached?a')
  const data = await get('/-/data/cached?a')
  t.match(data.headers['content-type'], 'application/json')
  t.equal(data.headers.etag === document.headers.etag, false)
  t.not(data.json().data.render, Number(await renderOf('/cached?a')))
  t.equal((await get('/-/data/cached?a')).json().data.render, data.json().data.render)
  const head = await app.inject({ method: 'HEAD', url: '/cached?a' })
  t.equal(head.headers.etag, document.headers.etag)
  t.equal(head.body, '')
})

t.test('the document of one visitor does not have the Host header of another', async (t) => {
  const { get } = await createVisitor(t)
  for (const url of ['/cached', '/-/data/cached']) {
    t.match((await get(url, { host: 'evil.example' })).body, 'http://evil.example/cached')
    const { body } = await get(url, { host: 'app.example' })
    t.match(body, 'http://app.example/cached')
    t.notMatch(body, 'evil.example')
  }
  const known = await createVisitor(t, { BASE_URL: 'https://app.example' })
  const first = await known.get('/cached?known', { host: 'evil.example' })
  t.match(first.body, 'https://app.example/cached')
  t.equal((await known.get('/cached?known', { host: 'inner:3000' })).body, first.body, 'one document for all visitors')
})

t.test('a client with the current document gets 304', async (t) => {
  const { get } = await createVisitor(t)
  const { headers } = await get('/cached')
  const etag = String(headers.etag)
  t.match(etag, /^W\/"[\w-]+"$/)
  t.equal(headers['cache-control'], 'public, max-age=0, s-maxage=1, stale-while-revalidate=60')
  t.equal(headers['x-topic'], 'cache')
  for (const known of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
    const response = await get('/cached', { 'if-none-match': known })
    t.equal(response.statusCode, 304, known)
    t.equal(response.body, '')
    t.equal(response.headers.etag, etag)
  }
  t.equal((await get('/cached', { 'if-none-match': '"other"' })).statusCode, 200)
})

t.test('it is the same for all visitors: no nonce, no cookie, no request id', async (t) => {
  const { get } = await createVisitor(t)
  const [one, two] = [await get('/cached'), await get('/cached', { cookie: 'session=x', 'x-user': 'admin' })]
  t.equal(one.body, two.body)
  t.notMatch(one.body, 'nonce')
  t.notMatch(one.headers['content-security-policy'], 'nonce')
  t.equal(one.headers['set-cookie'], undefined)
  t.not(one.headers['x-request-id'], two.headers['x-request-id'])
})

t.test('an action invalidates documents and their data by tag and by path', async (t) => {
  const { app, get, renderOf } = await createVisitor(t)
  const invalidate = (fields: string) => postForm(app, '/cached', fields)
  const url = '/cached?tag=item:7'
  const { headers } = await get(url)
  t.equal(headers['cache-tag'], 'length:2000,item:7')
  t.equal((await get('/-/data' + url)).headers['cache-tag'], 'length:2000,item:7')
  const first = await renderOf(url)
  const data = (await get('/-/data' + url)).body
  const other = await renderOf('/cached?tag=item:8')
  t.equal((await invalidate('tag=item:7')).statusCode, 303)
  t.not(await renderOf(url), first)
  t.not((await get('/-/data' + url)).body, data)
  t.equal(await renderOf('/cached?tag=item:8'), other, 'no other document')
  await invalidate('path=/cached')
  t.not(await renderOf('/cached?tag=item:8'), other, 'with any query of the path')
})

t.test('a document that is invalidated while it is rendered is not cached', async (t) => {
  const { app, get } = await createVisitor(t)
  const rendering = get('/cached?wait=100')
  await pause(20)
  await app.pageCache.invalidate({ path: '/cached' })
  t.equal((await rendering).headers['cache-control'], 'private, no-store')
  t.match((await get('/cached?wait=100')).headers['cache-control'], /^public/)
})

t.test('invalid tags are an error of the page', async (t) => {
  const { get, logs } = await createVisitor(t)
  t.equal((await get('/cached?tags=a,b')).statusCode, 500)
  t.equal((await get(`/cached?${'tags=x&'.repeat(65)}`)).statusCode, 500)
  t.match(logs.takeErrors(), [
    { err: { code: 'APP_PAGE_INVALID', message: /^client\/pages\/cached\.tsx: cache\.tags: a tag has 1 to 120/ } },
    { err: { message: /cache\.tags: a document has at most 64 tags; got 65/ } }
  ])
})

t.test('each content encoding has its own copy', async (t) => {
  const { get } = await createVisitor(t)
  const plain = await get('/cached')
  t.equal(plain.headers['content-encoding'], undefined)
  t.equal(plain.headers.vary, 'accept-encoding')
  for (const [coding, decode] of [
    ['br', brotliDecompressSync],
    ['zstd', zstdDecompressSync],
    ['gzip', gunzipSync]
  ] as const) {
    for (const visit of ['first', 'second']) {
      const response = await get('/cached', { 'accept-encoding': coding })
      t.equal(response.headers['content-encoding'], coding, visit)
      t.equal(response.headers.etag, plain.headers.etag)
      t.equal(String(decode(response.rawPayload)), plain.body)
    }
  }
})

t.test('a page that reads data of one visitor fails for every visitor', async (t) => {
  const { get, logs } = await createVisitor(t)
  const response = await get('/cached?private')
  t.equal(response.statusCode, 500)
  t.match(response.headers['cache-control'], 'no-store')
  t.match(logs.takeErrors()[0], { err: { code: 'APP_PAGE_CACHE_PRIVATE' } })
})

t.test('failures and other status codes are not cached', async (t) => {
  const { get, logs } = await createVisitor(t)
  t.equal((await get('/cached?fail')).statusCode, 500)
  t.equal((await get('/cached?fail')).statusCode, 500)
  t.equal(logs.takeErrors().length, 2, 'the page is rendered again')
  const gone = await get('/cached?gone')
  t.equal(gone.statusCode, 410)
  t.not((await get('/cached?gone')).body, gone.body)
  for (const url of ['/cached?gone', '/-/data/cached?gone']) {
    const { statusCode, headers } = await get(url, { 'if-none-match': '*' })
    t.equal(statusCode, 410, url)
    t.equal(headers['cache-control'], 'private, no-store', url)
  }
})

t.test('a response with a rejected promise is not cached, here or by another cache', async (t) => {
  const { get, logs } = await createVisitor(t)
  for (const url of ['/cached?late', '/-/data/cached?late']) {
    const { statusCode, headers, body } = await get(url)
    t.equal(statusCode, 200, url)
    t.equal(headers['cache-control'], 'private, no-store', url)
    t.not((await get(url)).body, body, 'the page is rendered again')
    t.equal(logs.takeErrors().length, 2)
  }
})

t.test('a failure of a shared render is logged once', async (t) => {
  const { get, logs } = await createVisitor(t)
  const answers = await Promise.all([1, 2, 3].map(() => get('/cached?fail&wait=50')))
  t.same(
    answers.map(({ statusCode }) => statusCode),
    [500, 500, 500]
  )
  t.equal(logs.takeErrors().length, 1)
})

t.test('removes the least recently used documents when PAGE_CACHE_BYTES is reached', async (t) => {
  const { renderOf } = await createVisitor(t, { PAGE_CACHE_BYTES: '20KiB' })
  const first = await renderOf('/cached?page=0')
  const second = await renderOf('/cached?page=1')
  for (let page = 2; page < 8; page++) {
    await renderOf(`/cached?page=${page}`)
    t.equal(await renderOf('/cached?page=0'), first, 'used recently')
  }
  t.not(await renderOf('/cached?page=1'), second, 'not used recently')
})

t.test('a visitor who leaves does not end the render for others', async (t) => {
  const { app, renderOf } = await createVisitor(t)
  const leaving = new AbortController()
  const left = app.inject({ url: '/cached?wait=100', signal: leaving.signal })
  await pause(20)
  const staying = renderOf('/cached?wait=100')
  leaving.abort()
  await t.rejects(left)
  t.ok(await staying)
})
