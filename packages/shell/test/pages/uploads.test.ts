// Runs in a process of its own: it measures the memory of its process.
import { randomBytes, randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { request as openRequest } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const MEBIBYTE = 1024 * 1024
const site = await buildSite(join(import.meta.dirname, '../fixtures/forms'))
const folder = (process.env.TEST_UPLOADS = createFolder(t))
const { origin, port, logs } = await createListeningApp(t, { site, env: { BODY_LIMIT: '1KiB' } })

interface Answer {
  code: string
  redirect: string
  form: { errors: Record<string, string> }
}

type Entry = [name: string, value: string | File]

const send = async (path: string, entries: Entry[]) => {
  const body = new FormData()
  for (const [name, value] of entries) body.append(name, value)
  const response = await fetch(origin + path, { method: 'POST', body, headers: { accept: 'application/json' } })
  return { status: response.status, body: (await response.json()) as Answer }
}
const sendPhoto = (photo: File, title = 'Ada') =>
  send('/upload', [
    ['title', title],
    ['photo', photo]
  ])
const redirectOf = ({ body }: Awaited<ReturnType<typeof send>>) => new URL(body.redirect, origin).searchParams

const isEmpty = () => readdirSync(folder).length === 0

const HEAD = (path: string, headers = '') =>
  `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${headers}Content-Type: multipart/form-data; boundary=cut\r\n`
const START = '--cut\r\nContent-Disposition: form-data; name="photo"; filename="a.png"\r\n\r\n'

t.test('a page with uploads', async (t) => {
  t.test('receives files above BODY_LIMIT, from disk', async (t) => {
    const sent = await sendPhoto(new File(['x'.repeat(5_000)], 'a.png', { type: 'image/png' }))
    t.equal(redirectOf(sent).get('taken'), 'Ada,a.png,image/png,5000,5000')
    const read = await sendPhoto(new File(['the content'], 'a.txt'), 'text')
    t.match([read.status, read.body.form.errors], [422, { title: 'the content' }])
    await eventually(isEmpty)
  })

  t.test('receives the names of fields and files unchanged', async (t) => {
    for (const name of ['Übersicht "1".png', 'one\ntwo.png', '100%25.png'])
      t.equal(
        redirectOf(await sendPhoto(new File(['x'], name)))
          .get('taken')
          ?.split(',')[1],
        name
      )
  })

  t.test('creates its folder', async (t) => {
    t.teardown(() => (process.env.TEST_UPLOADS = folder))
    process.env.TEST_UPLOADS = join(createFolder(t), 'data/uploads')
    t.equal(
      redirectOf(await sendPhoto(new File(['x'], 'a.png', { type: 'image/png' }))).get('taken'),
      'Ada,a.png,image/png,1,1'
    )
  })

  t.test('keeps no file in memory', async (t) => {
    const size = 7 * MEBIBYTE
    const chunk = Buffer.alloc(64 * 1024, 'x')
    let peak = 0
    function* content() {
      yield `--cut\r\nContent-Disposition: form-data; name="title"\r\n\r\nlarge\r\n${START}`
      for (let sent = 0; sent < size; sent += chunk.length) {
        yield chunk
        if (sent % MEBIBYTE !== 0) continue
        collectGarbage()
        peak = Math.max(peak, process.memoryUsage().arrayBuffers)
      }
      yield '\r\n--cut--\r\n'
    }
    collectGarbage()
    const before = process.memoryUsage().arrayBuffers
    const answer = await new Promise<string>((resolve, reject) => {
      const headers = { 'content-type': 'multipart/form-data; boundary=cut', accept: 'application/json' }
      const request = openRequest(`${origin}/upload`, { method: 'POST', headers }, (response) =>
        resolve(text(response))
      )
      Readable.from(content()).pipe(request).on('error', reject)
    })
    t.match(decodeURIComponent(answer), `large,a.png,text/plain,${size},${size}`)
    t.ok(peak - before < size / 3, `${peak - before} bytes at the peak`)
    await eventually(isEmpty)
  })

  t.test('treats an empty file input as missing', async (t) => {
    const { status, body } = await sendPhoto(new File([], ''))
    t.match([status, body.form.errors], [422, { photo: 'Choose a file.' }])
  })

  t.test('accepts a form that is not multipart', async (t) => {
    const body = new URLSearchParams({ title: 'Ada' })
    t.equal((await fetch(`${origin}/upload`, { method: 'POST', body })).status, 422)
  })

  t.test('streams its files if the application has registered @fastify/multipart for all routes', async (t) => {
    const root = join(import.meta.dirname, '../fixtures/multipart-for-all')
    const { origin } = await createListeningApp(t, { site: { ...site, root }, env: { BODY_LIMIT: '1KiB' } })
    const sendTo = async (path: string, content: string) => {
      const body = new FormData()
      body.append('title', 'Ada')
      body.append('photo', new File([content], 'a.png', { type: 'image/png' }))
      const headers = { accept: 'application/json' }
      return (await (await fetch(origin + path, { method: 'POST', body, headers })).json()) as Answer
    }
    const { redirect } = await sendTo('/upload', 'x'.repeat(5_000))
    t.equal(new URL(redirect, origin).searchParams.get('taken'), 'Ada,a.png,image/png,5000,5000')
    t.match(await sendTo('/upload', 'x'.repeat(9 * MEBIBYTE)), {
      code: 'APP_UPLOAD_TOO_LARGE',
      detail: 'A file is larger than 8 MB'
    })
    await eventually(isEmpty)
  })

  t.test('removes temporary files after an action that fails', async (t) => {
    t.equal((await sendPhoto(new File(['x'], 'a'), 'fail')).status, 500)
    t.match(logs.takeErrors(), [{ err: { message: 'secret upload detail' } }])
    await eventually(isEmpty)
  })

  t.test('refuses parts that are too large or too many with 413, and removes received files', async (t) => {
    const file = new File(['x'], 'a')
    const refused: Array<[string, Entry[]]> = [
      ['APP_UPLOAD_TOO_LARGE', [['photo', new File([new Uint8Array(8 * MEBIBYTE + 1)], 'a')]]],
      [
        'APP_UPLOAD_TOO_LARGE',
        [
          ['photo', file],
          ['title', 'x'.repeat(2_000)]
        ]
      ],
      [
        'APP_UPLOAD_TOO_LARGE',
        [
          ['photo', file],
          ['title', 'x'.repeat(600)],
          ['title', 'x'.repeat(600)]
        ]
      ],
      [
        'APP_UPLOAD_TOO_MANY',
        [
          ['photo', file],
          ['photo', file],
          ['photo', file]
        ]
      ],
      ['APP_UPLOAD_TOO_MANY', [['photo', file], ...Array<Entry>(10_000).fill(['title', 'x'])]]
    ]
    for (const [code, entries] of refused) {
      const { status, body } = await send('/upload', entries)
      t.match([status, body.code], [413, code])
      await eventually(isEmpty)
    }
  })

  t.test('refuses names of built-in members and malformed forms with 400', async (t) => {
    for (const name of ['__proto__', 'constructor'])
      t.equal((await send('/upload', [[name, 'x']])).body.code, 'APP_FIELD_NAME', name)
    const notJson =
      '--cut\r\nContent-Disposition: form-data; name="a"\r\nContent-Type: application/json\r\n\r\n{\r\n--cut--\r\n'
    const nonsense = '--cut\r\nContent-Disposition: nonsense\r\n\r\na\r\n'
    for (const body of [`${START}never ends`, nonsense, notJson, 'nothing']) {
      const headers = { 'content-type': 'multipart/form-data; boundary=cut', accept: 'application/json' }
      const response = await fetch(`${origin}/upload`, { method: 'POST', headers, body })
      t.match([response.status, await response.json()], [400, { code: 'APP_FORM_MALFORMED' }], body)
    }
    const long = { 'content-type': `multipart/form-data; boundary=${'x'.repeat(300)}`, accept: 'application/json' }
    const response = await fetch(`${origin}/upload`, { method: 'POST', headers: long, body: 'x' })
    t.match([response.status, await response.json()], [400, { code: 'APP_FORM_MALFORMED' }], 'a long boundary')
    await eventually(isEmpty)
  })

  t.test('refuses a form with a content coding, and decodes one that is not multipart', async (t) => {
    const post = async (type: string, body: Buffer<ArrayBuffer>, coding: string) => {
      const headers = { 'content-type': type, 'content-encoding': coding, accept: 'application/json' }
      const response = await fetch(`${origin}/upload`, {
        method: 'POST',
        headers,
        body,
        signal: AbortSignal.timeout(10_000)
      })
      return [response.status, await response.json()]
    }
    const form = Buffer.concat([Buffer.from(START), randomBytes(500_000), Buffer.from('\r\n--cut--\r\n')])
    for (const type of ['multipart/form-data; boundary=cut', 'Multipart/Form-Data; boundary=cut'])
      t.match(await post(type, gzipSync(form), 'gzip'), [415, { code: 'APP_UPLOAD_ENCODED' }], type)
    t.match(await post('multipart/form-data; boundary=cut', form, 'identity'), [422, {}])
    t.match(await post('application/x-www-form-urlencoded', gzipSync('title=Ada'), 'gzip'), [422, {}])
    await eventually(isEmpty)
  })

  t.test('removes a file whose upload is aborted, and reports no error', async (t) => {
    const socket = connect(port, '127.0.0.1')
    socket.write(`${HEAD('/upload')}Content-Length: 100000\r\n\r\n${START}${'x'.repeat(20_000)}`)
    await eventually(() => !isEmpty())
    socket.destroy()
    await eventually(isEmpty)
    t.same(logs.takeErrors(), [])
  })

  t.test('refuses before the body is received: guards, POST requests from other sites, content codings', async (t) => {
    for (const [status, head] of [
      [401, HEAD('/upload?private')],
      [415, HEAD('/upload', 'Content-Encoding: gzip\r\n')],
      [403, HEAD('/upload', 'Sec-Fetch-Site: cross-site\r\n')]
    ] as const) {
      const socket = connect(port, '127.0.0.1')
      socket.write(`${head}Content-Length: 100000\r\n\r\n${START}`)
      const [first] = (await socket.iterator({ destroyOnReturn: true }).next()).value.toString().split('\r\n')
      t.match(first, `HTTP/1.1 ${status}`)
      t.ok(isEmpty())
      socket.destroy()
    }
  })
})

t.test('a store of the application', async (t) => {
  const dataOf = async <T>(page: string) =>
    ((await (await fetch(`${origin}/-/data/${page}`)).json()) as { data: T }).data
  const objects = () => dataOf<Record<string, number>>('upload-store')

  t.test('receives the stream, and the action receives what the store returned', async (t) => {
    const sent = await send('/upload-store?album=7', [
      ['photo', new File(['12345'], 'a')],
      ['photo', new File(['1'], 'unread')],
      ['title', 'x']
    ])
    t.equal(redirectOf(sent).get('stored'), 'photo:a-7:5,photo:unread:1')
    t.equal(redirectOf(sent).get('form'), 'title')
    t.same(await objects(), { a: 5 })
  })

  t.test('receives no empty file input', async (t) => {
    const sent = await send('/upload-store?album=7', [
      ['photo', new File([], '')],
      ['photo', new File(['12345'], 'a')]
    ])
    t.equal(redirectOf(sent).get('stored'), 'photo:a-7:5')
    t.same(await objects(), { a: 5 })
  })

  t.test('discards stored files if a later file is refused', async (t) => {
    const { body } = await send('/upload-store', [
      ['photo', new File(['12345'], 'b')],
      ['photo', new File(['x'.repeat(21)], 'c')]
    ])
    t.equal(body.code, 'APP_UPLOAD_TOO_LARGE')
    t.same(await objects(), { a: 5 })
  })

  t.test('discards stored files if a schema or a token refuses the form before the action', async (t) => {
    const sendOnce = async (file: string, title: string, token: string = randomUUID()) => {
      const sent = await send('/upload-once', [
        ['form-token', token],
        ['title', title],
        ['photo', new File(['x'], file)]
      ])
      return [sent.status, await dataOf('upload-once')]
    }
    const token = randomUUID()
    t.same(await sendOnce('refused', ''), [422, []])
    t.same(await sendOnce('no token', 'Ada', ''), [400, []])
    t.same(await sendOnce('taken', 'Ada', token), [200, ['taken']])
    t.same(await sendOnce('again', 'Ada', token), [200, ['taken']], 'the action has run for this token')
  })

  t.test('can leave a file unread, and the rest of the file is refused if it is too large', async (t) => {
    const start = START.replace('a.png', 'late')
    const socket = connect(port, '127.0.0.1')
    t.teardown(() => socket.destroy())
    socket.write(
      `${HEAD('/upload-store')}Accept: application/json\r\nContent-Length: ${start.length + 111}\r\n\r\n${start}x`
    )
    await eventually(async () => 'late' in (await objects()))
    socket.write(`${'x'.repeat(99)}\r\n--cut--\r\n`)
    const answer = (await socket.iterator({ destroyOnReturn: true }).next()).value.toString()
    t.match(answer, 'HTTP/1.1 413')
    t.match(answer, 'APP_UPLOAD_TOO_LARGE')
    t.same(await objects(), { a: 5 })
  })

  t.test('can read slowly: a visitor who leaves after sending causes no error', async (t) => {
    const size = 150_000
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `${HEAD('/upload-slow')}Content-Length: ${START.length + size + 11}\r\n\r\n${START}${'x'.repeat(size)}`
    )
    socket.write('\r\n--cut--\r\n', () => setTimeout(() => socket.destroy(), 500))
    await eventually(async () => (await dataOf<{ ended: string }>('upload-slow')).ended)
    t.same(logs.takeErrors(), [])
  })

  t.test('can fail: 500, with the cause in the log', async (t) => {
    t.equal((await send('/upload-store', [['photo', new File(['x'.repeat(15)], 'broken')]])).status, 500)
    t.match(logs.takeErrors(), [{ err: { message: 'secret store detail' } }])
    t.equal((await send('/upload-store', [['photo', new File(['x'], 'broken silently')]])).status, 500)
    t.match(logs.takeErrors(), [{ err: { message: 'undefined thrown: undefined' } }])
  })
})
