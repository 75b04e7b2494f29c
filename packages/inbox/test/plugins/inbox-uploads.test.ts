import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { InjectOptions } from 'fastify'
import t from 'tap'
import { encodeMappings } from '@hull/test-helpers/source-maps.ts'
import { bundleOf, chunkForm, sha1Of, zip } from '../helpers/bundle.ts'
import { createToken } from '../helpers/api.ts'
import { acceptInvitation } from '../helpers/invitation.ts'
import { issueIn, openScreens, sendEvents } from '../helpers/screens.ts'
import { CHUNK_BYTES } from '../../src/uploads/limits.ts'

const MIB = 1024 ** 2
const { app, admin } = await openScreens(t, { isEmpty: true, env: { INBOX_UPLOAD_MAX_BYTES: '2MiB' } })
t.teardown(() => app.close())
const [reader, writer] = [await createToken(admin, 'read'), await createToken(admin, 'write')]
const UPLOAD = '/organizations/hull/chunk-upload/'
const ASSEMBLE = '/organizations/hull/artifactbundle/assemble/'
const RELEASES = '/organizations/hull/releases/'

const ask = (path: string, { token = writer, ...request }: InjectOptions & { token?: string } = {}) =>
  app.inject({ ...request, url: `/api/0${path}`, headers: { authorization: `Bearer ${token}`, ...request.headers } })

const post = (path: string, payload: object, token = writer) => ask(path, { method: 'POST', payload, token })

const inputOf = (body: Buffer, over: object = {}) => ({
  checksum: sha1Of(body),
  chunks: [sha1Of(body)],
  projects: ['this-application'],
  ...over
})

/** Sends a bundle with one chunk. */
async function upload(body: Buffer, over: object = {}) {
  await ask(UPLOAD, { method: 'POST', ...chunkForm([body]) })
  return post(ASSEMBLE, inputOf(body, over))
}

/** Returns a source map from the first column to a line of a source. */
const mapTo = (line: number, source = '../../src/cart.ts') => ({
  version: 3,
  names: [],
  sources: [source],
  sourcesContent: [`${'\n'.repeat(line - 1)}throw new Error('line ${line}')\n`],
  mappings: encodeMappings([[[0, 0, line - 1, 0]]])
})

/**
 * Sends an error in this file.
 * @returns its frame
 */
async function frameOf(
  type: string,
  { file = 'https://shop.example/assets/cart.js', ...event }: Record<string, unknown>
) {
  const stacktrace = { frames: [{ filename: file, function: 'a', lineno: 1, colno: 1 }] }
  await sendEvents(app, [{ exception: { values: [{ type, value: 'x', stacktrace }] }, ...event }])
  const id = issueIn((await admin.get('/inbox/issues')).body, type)
  const { detail } = await app.inbox!.queries.getEvent({ id })
  return detail!.exceptions[0]!.frames[0]!
}

const debugMeta = (debugId: string) => ({
  debug_meta: {
    images: [{ type: 'sourcemap', code_file: 'https://shop.example/assets/cart.js', debug_id: debugId }]
  }
})

t.test('a token is required, and a token for writing for changes', async (t) => {
  t.equal((await app.inject('/api/0/')).statusCode, 401)
  t.match((await ask('/', { token: 'x' })).json(), { detail: /^APP_INBOX_TOKEN_INVALID: / })
  t.equal((await ask('/', { token: reader })).statusCode, 200)
  for (const [path, method] of [
    [UPLOAD, 'POST'],
    [ASSEMBLE, 'POST'],
    [RELEASES, 'POST'],
    [`${RELEASES}1.0/`, 'PUT'],
    [`${RELEASES}1.0/deploys/`, 'POST']
  ] as const) {
    const refused = await ask(path, { method, token: reader, payload: {} })
    t.equal(refused.statusCode, 403)
    t.same(Object.keys(refused.json()), ['detail'], 'the only field that sentry-cli prints')
    t.match(refused.json().detail, /^APP_INBOX_TOKEN_READ_ONLY: /)
  }
})

t.test('projects have slugs and numbers', async (t) => {
  t.match((await ask('/organizations/any/projects/')).json(), [{ id: '1', slug: 'this-application' }])
  t.equal((await ask('/projects/any/1/')).json().slug, 'this-application')
  const refused = await post(RELEASES, { version: '1.0', projects: ['nobody'] })
  t.equal(refused.statusCode, 400)
  t.match(refused.json().detail, /^APP_INBOX_PROJECT_UNKNOWN: .*"nobody"/)
})

t.test('a token can change the projects in which its person is a member', async (t) => {
  const shop = await app.inbox!.changes.createProject({ name: 'Tea' })
  const person = await acceptInvitation(app, admin, 'member', 'Mia', shop.id)
  const token = await createToken(person, 'write')
  t.match((await ask('/organizations/hull/projects/', { token })).json(), [{ slug: 'tea' }])
  t.equal((await post(RELEASES, { version: 'tea@1', projects: ['tea'] }, token)).statusCode, 201)
  t.match(
    (await post(RELEASES, { version: 'tea@1', projects: [1] }, token)).json().detail,
    /^APP_INBOX_PROJECT_UNKNOWN/
  )
  await post(RELEASES, { version: 'mine@1', projects: [1] })
  for (const path of [`${RELEASES}mine@1/`, `${RELEASES}mine@1/deploys/`]) {
    const payload = { environment: 'production' }
    const refused = await ask(path, { method: path.endsWith('deploys/') ? 'POST' : 'PUT', payload, token })
    t.match(refused.json().detail, /^APP_INBOX_RELEASE_NOT_FOUND/)
  }
  t.equal((await ask(`${RELEASES}mine@1/`, { token })).statusCode, 404)
  const people = await app.inbox!.queries.listPeople()
  const { id } = people.find(({ name }) => name === 'Mia')!
  await app.inbox!.changes.setRoles({ id, role: 'none', projects: { [shop.id]: 'member', 1: 'viewer' } })
  t.match((await post(RELEASES, { version: 'tea@1', projects: [1] }, token)).json().detail, /^APP_INBOX_ROLE_TOO_LOW/)
})

t.test('a release, its commits and its deploys are on the page of releases', async (t) => {
  await app.inbox!.changes.setRepository({ id: 1, repository: { host: 'github', url: 'https://github.com/acme/shop' } })
  t.match((await ask('/organizations/hull/repos/')).json(), [
    { name: 'acme/shop', provider: { id: 'integrations:github' } }
  ])
  t.equal((await post(RELEASES, { version: 'shop@1.0/a', projects: ['this-application'] })).statusCode, 201)
  const path = `${RELEASES}${encodeURIComponent('shop@1.0/a')}/`
  const id = 'c0ffee'.padEnd(40, '0')
  const commits = [
    { id, message: 'Fix the cart\n\nIt was empty.', author_name: 'Ada', timestamp: '2026-01-02T03:04:05Z' }
  ]
  const updated = await ask(path, {
    method: 'PUT',
    payload: { commits, dateReleased: '2026-01-02T03:04:05.123456789Z' }
  })
  const [declared] = await app.inbox!.queries.listAudit({})
  t.match(declared, { kind: 'release-declared', detail: /shop@1\.0\/a/ })
  t.notMatch(declared!.detail, 'Tea', 'only the project that has the release')
  t.match(updated.json(), { commitCount: 1, lastCommit: { id }, dateReleased: '2026-01-02T03:04:05.123Z' })
  for (const environment of ['staging', 'production', 'production'])
    t.equal(
      (await post(`${path}deploys/`, { environment, name: null, dateFinished: new Date().toISOString() })).statusCode,
      201
    )
  t.same((await ask(path)).json().deployCount, 3)
  t.equal((await ask(`${path}deploys/`)).json().length, 3)
  const { body } = await admin.get('/inbox/releases')
  t.match(body, /shop@1\.0\/a/)
  t.match(body.replace(/<[^>]*>/g, ''), /production [^,]+, staging /)
  t.match(body, `https://github.com/acme/shop/commit/${id}`)
  t.match(body, 'Fix the cart')
  t.notMatch(body, 'It was empty')

  await post(RELEASES, { version: 'shop@1.1', projects: [1] })
  t.match((await ask(`${RELEASES}shop@1.1/previous-with-commits/`)).json(), {
    version: 'shop@1.0/a',
    lastCommit: { id }
  })
  t.same((await ask(`${path}previous-with-commits/`)).json(), {})
})

t.test('sentry-cli 2 sends the project of a release in the address, and sends bundles', async (t) => {
  const releases = '/projects/hull/this-application/releases/'
  t.equal((await post(releases, { version: 'shop@2.0', projects: ['this-application'] })).statusCode, 201)
  const finalized = await ask(`${releases}shop@2.0/`, {
    method: 'PUT',
    payload: { dateReleased: '2026-01-02T03:04:05Z' }
  })
  t.match(finalized.json(), { dateReleased: '2026-01-02T03:04:05.000Z' })
  t.match((await ask(`${releases}shop@2.0/`)).json(), { version: 'shop@2.0', projects: [{ slug: 'this-application' }] })
  const [declared] = await app.inbox!.queries.listAudit({})
  t.notMatch(declared!.detail, 'Tea', 'only the project in the address')
  // Without it, sentry-cli sends each file separately, to an address that does not exist.
  t.ok((await ask(UPLOAD)).json().accept.includes('release_files'))
})

t.test('a project that is listed twice counts once', async (t) => {
  await post(RELEASES, { version: 'twice', projects: ['this-application', '1', 1] })
  const [entry] = await app.inbox!.queries.listAudit({})
  t.match(entry, { kind: 'release-declared', detail: /^twice · This application · token / })
})

t.test('invalid releases and deploys are refused', async (t) => {
  for (const payload of [
    {},
    { version: ' x ' },
    { version: 'x'.repeat(251) },
    { version: '1', projects: [] },
    { version: '1', projects: Array.from({ length: 1_001 }, () => 1) },
    { version: '1', commits: [{}] }
  ])
    t.match((await post(RELEASES, payload)).json().detail, /^APP_INBOX_REQUEST_INVALID: /)
  const broken = await ask(RELEASES, {
    method: 'POST',
    payload: '{"version',
    headers: { 'content-type': 'application/json' }
  })
  t.equal(broken.statusCode, 400)
  t.match(broken.json().detail, /^APP_INBOX_REQUEST_INVALID: /)
  const unknown = await post(`${RELEASES}none/deploys/`, { environment: 'production' })
  t.equal(unknown.statusCode, 404)
  t.match(unknown.json().detail, /^APP_INBOX_RELEASE_NOT_FOUND: .*"none"/)
  const site = 'https://shop.example/'
  for (const [field, value] of [
    ['url', 'javascript:1'],
    ['url', site.padEnd(2_001, 'x')],
    ['environment', 'x'.repeat(201)],
    ['name', 'x'.repeat(201)]
  ] as const)
    t.match(
      (await post(`${RELEASES}shop@1.1/deploys/`, { environment: 'x', [field]: value })).json().detail,
      new RegExp(`^APP_INBOX_REQUEST_INVALID: .*${field}`)
    )
})

t.test('deploys with long texts do not make releases and the audit log too long', async (t) => {
  const { changes } = app.inbox!
  // Stored as an earlier version did.
  const url = (i: number) => `https://shop.example/${i}/${'x'.repeat(50_000)}`
  for (let i = 0; i < 6; i++) {
    const version = `long@${i}`
    await post(RELEASES, { version, projects: [1] })
    const deploy = (j: number) =>
      changes.addDeploy({
        version,
        environment: `${j}${'\u0001'.repeat(30_000)}`,
        url: url(j + 30 * i),
        finished: Date.now(),
        projects: [1]
      })
    await Promise.all(Array.from({ length: 30 }, (_, j) => deploy(j)))
  }
  for (const path of ['/inbox', '/inbox/releases', '/inbox/settings/audit']) {
    const { statusCode, body } = await admin.get(path)
    t.equal(statusCode, 200, path)
    if (path === '/inbox/releases')
      t.match(body, /href="https:\/\/shop\.example\/179\//, 'the newest release is complete')
  }
})

t.test('a source map is found by its debug id', async (t) => {
  const debugId = '11111111-2222-4333-8444-555555555555'
  t.same((await upload(bundleOf(mapTo(7), { debugId: debugId.toUpperCase(), url: '~/other.js' }))).json(), {
    state: 'ok',
    missingChunks: []
  })
  t.match(await frameOf('ByDebugId', debugMeta(debugId)), {
    file: 'src/cart.ts',
    line: 7,
    inApp: true,
    source: { line: "throw new Error('line 7')" }
  })
  await upload(bundleOf(mapTo(9), { debugId, url: '~/other.js' }))
  t.equal((await frameOf('ByNewerMap', debugMeta(debugId))).line, 9, 'the newest upload')
})

t.test('a source map without a debug id is found by release and address', async (t) => {
  await upload(bundleOf(mapTo(3, 'webpack://shop/./src/cart.ts?1a2b')), { version: '3.0' })
  t.match(await frameOf('ByAddress', { release: '3.0' }), { file: 'src/cart.ts', line: 3, inApp: true })
  t.equal((await frameOf('OnDisk', { release: '3.0', file: '/srv/app/assets/cart.js', platform: 'node' })).line, 3)
  t.equal((await frameOf('OtherRelease', { release: '3.1' })).built, undefined)
  t.equal((await frameOf('OtherFile', { release: '3.0', file: 'https://shop.example/cart.js' })).built, undefined)
})

t.test('source maps of another project are not used', async (t) => {
  const shop = await app.inbox!.changes.createProject({ name: 'The Shop!' })
  const debugId = '22222222-2222-4333-8444-555555555555'
  t.equal((await upload(bundleOf(mapTo(5), { debugId }), { projects: ['the-shop'], version: '5.0' })).statusCode, 200)
  t.equal((await frameOf('OfAnother', { ...debugMeta(debugId), release: '5.0' })).built, undefined)
  await upload(bundleOf(mapTo(5), { debugId }), { projects: [shop.id, 1], version: '5.0' })
  t.equal((await frameOf('OfBoth', { ...debugMeta(debugId), release: '5.0' })).line, 5)
})

t.test('chunks of a bundle are accepted in any order', async (t) => {
  const debugId = '33333333-2222-4333-8444-555555555555'
  const map = { ...mapTo(4), x_padding: randomBytes(CHUNK_BYTES).toString('base64') }
  const bundle = bundleOf(map, { debugId })
  const chunks = Array.from({ length: Math.ceil(bundle.length / CHUNK_BYTES) }, (_, at) =>
    bundle.subarray(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES)
  )
  t.ok(chunks.length > 1)
  const input = inputOf(bundle, { chunks: chunks.map(sha1Of) })
  t.same((await post(ASSEMBLE, input)).json(), { state: 'not_found', missingChunks: chunks.map(sha1Of) })
  await ask(UPLOAD, { method: 'POST', ...chunkForm(chunks.slice(1).toReversed()) })
  t.same((await post(ASSEMBLE, input)).json(), { state: 'not_found', missingChunks: [sha1Of(chunks[0]!)] })
  await ask(UPLOAD, { method: 'POST', ...chunkForm(chunks.slice(0, 1)) })
  t.equal((await post(ASSEMBLE, input)).json().state, 'ok')
  t.equal((await frameOf('InParts', debugMeta(debugId))).line, 4)
  t.same(await app.inbox!.queries.listChunks({ sha1s: input.chunks }), {}, 'no chunk is kept')
})

t.test('if a bundle is sent twice at once, its chunks are requested again', async (t) => {
  const bundle = bundleOf(mapTo(3), { debugId: '44444444-2222-4333-8444-555555555555' })
  await ask(UPLOAD, { method: 'POST', ...chunkForm([bundle]) })
  const [first, second] = await Promise.all([post(ASSEMBLE, inputOf(bundle)), post(ASSEMBLE, inputOf(bundle))])
  t.match(first.json(), { state: 'ok' })
  t.match(second.json(), { state: 'not_found', missingChunks: [sha1Of(bundle)] })
  t.match((await upload(bundle)).json(), { state: 'ok' })
})

t.test('a bundle is answered however long it takes to store', async (t) => {
  const files = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`${at}.map`, { type: 'source_map', url: `~/slow/${at}.js.map` }])
  )
  const maps = Object.keys(files).map((name) => ({ name, body: JSON.stringify(mapTo(1)) }))
  const bundle = zip([...maps, { name: 'manifest.json', body: JSON.stringify({ files }) }])
  await ask(UPLOAD, { method: 'POST', ...chunkForm([bundle]) })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  app.server.timeout = 50
  const { status } = await fetch(`${origin}/api/0${ASSEMBLE}`, {
    method: 'POST',
    body: JSON.stringify(inputOf(bundle, { version: '7.0' })),
    headers: { authorization: `Bearer ${writer}`, 'content-type': 'application/json' }
  })
  t.equal(status, 200)
})

t.test('invalid chunks are refused', async (t) => {
  for (const request of [{}, { payload: 'null', headers: { 'content-type': 'application/json' } }]) {
    const empty = await ask(UPLOAD, { method: 'POST', ...request })
    t.equal(empty.statusCode, 400)
    t.match(empty.json().detail, /^APP_INBOX_CHUNK_INVALID: .*no form with files/)
  }
  const long = await post(RELEASES, { version: '1', refs: 'x'.repeat(4 * MIB) })
  t.equal(long.statusCode, 413)
  t.match(long.json().detail, /4194304 bytes/)
  const form = chunkForm([Buffer.from('x')], 'f'.repeat(40))
  const gzip = { ...form, payload: (form.payload as Buffer).toString('latin1').replace('"file"', '"file_gzip"') }
  const cut = { ...form, payload: (form.payload as Buffer).subarray(0, -12) }
  for (const [name, request] of Object.entries({
    'another checksum': form,
    'no gzip': gzip,
    'cut short': cut,
    'too large': chunkForm([Buffer.alloc(CHUNK_BYTES + 1)]),
    'too many': chunkForm(Array.from({ length: 9 }, () => Buffer.from('x')))
  })) {
    const refused = await ask(UPLOAD, { method: 'POST', ...request })
    t.equal(refused.statusCode, 400, name)
    t.match(refused.json().detail, /^APP_INBOX_CHUNK_INVALID: /, name)
  }
  t.same(await app.inbox!.queries.listChunks({ sha1s: ['f'.repeat(40)] }), {})
})

t.test('bundles that are too large are refused before their bytes are sent', async (t) => {
  const chunks = Array.from({ length: 1024 }, (_, at) => sha1Of(String(at)))
  const refused = await post(ASSEMBLE, { checksum: sha1Of('x'), chunks, projects: ['1'] })
  t.equal(refused.statusCode, 413)
  t.match(refused.json().detail, /^APP_INBOX_UPLOAD_TOO_LARGE: /)
  const request = await ask(UPLOAD, {
    method: 'POST',
    headers: { ...chunkForm([]).headers, 'content-length': String(1024 * MIB) },
    payload: 'x'
  })
  t.equal(request.statusCode, 413)
  t.match(request.json().detail, /^APP_INBOX_UPLOAD_TOO_LARGE: /)
})

t.test('a bundle can have at most a quarter of the size of the inbox', async (t) => {
  const { app, admin } = await openScreens(t, { isEmpty: true, env: { INBOX_MAX_BYTES: '16MiB' } })
  const headers = { authorization: `Bearer ${await createToken(admin, 'write')}` }
  const { maxFileSize } = (await app.inject({ url: `/api/0${UPLOAD}`, headers })).json()
  t.equal(maxFileSize, 4 * MIB, 'not the default of INBOX_UPLOAD_MAX_BYTES, 64 MiB')
})

t.test('invalid bundles are refused, and their chunks deleted', async (t) => {
  const whole = bundleOf(mapTo(1))
  const manifest = (files: object) => ({ name: 'manifest.json', body: JSON.stringify({ files }) })
  const mapFile = { type: 'source_map', url: '~/a.js.map', headers: {} }
  const cases: Record<string, [body: Buffer, over: object, detail: RegExp]> = {
    'another checksum': [whole, { checksum: sha1Of('x') }, /checksum/],
    'cut short': [whole.subarray(0, -30), {}, /^APP_INBOX_BUNDLE_INVALID/],
    'no ZIP file': [Buffer.from('x'.repeat(100)), {}, /^APP_INBOX_BUNDLE_INVALID/],
    'a path that leads upwards': [zip([{ name: '../../x', body: 'x' }, manifest({})]), {}, /invalid relative path/],
    'an absolute path': [zip([{ name: '/etc/x', body: 'x' }, manifest({})]), {}, /absolute path/],
    'no manifest': [zip([{ name: 'a', body: 'x' }]), {}, /manifest\.json is missing/],
    'a broken manifest': [zip([{ name: 'manifest.json', body: '{"files": [' }]), {}, /not a list/],
    'a missing file': [zip([manifest({ 'a.js.map': mapFile })]), {}, /a\.js\.map is missing/],
    'a path of 700 characters': [bundleOf(mapTo(1), { url: `~/${'a'.repeat(700)}` }), {}, /is too long/],
    'no map': [zip([manifest({})]), {}, /no source map/],
    'a file larger than stated': [
      zip([{ name: 'a.js.map', body: 'x'.repeat(MIB), statedSize: 10 }, manifest({ 'a.js.map': mapFile })]),
      {},
      /too many bytes/
    ],
    'a file of 33 MB': [
      zip([{ name: 'a.js.map', body: Buffer.alloc(33 * MIB) }, manifest({ 'a.js.map': mapFile })]),
      {},
      /^APP_INBOX_UPLOAD_TOO_LARGE/
    ],
    'files of more than 20 MB together': [
      zip([
        ...['a', 'b', 'c'].map((name) => ({ name, body: Buffer.alloc(8 * MIB) })),
        manifest(Object.fromEntries(['a', 'b', 'c'].map((name) => [name, mapFile])))
      ]),
      {},
      /^APP_INBOX_UPLOAD_TOO_LARGE/
    ]
  }
  for (const [name, [body, over, detail]] of Object.entries(cases)) {
    const refused = await upload(body, over)
    t.ok([413, 422].includes(refused.statusCode), name)
    t.match(refused.json().detail, detail, name)
    t.same(await app.inbox!.queries.listChunks({ sha1s: [sha1Of(body)] }), {}, name)
  }
})

t.test('chunks of incomplete bundles use a limited space', async (t) => {
  const chunks = Array.from({ length: 6 }, (_, at) => Buffer.alloc(MIB, String(at)))
  for (const chunk of chunks) await ask(UPLOAD, { method: 'POST', ...chunkForm([chunk]) })
  const kept = await app.inbox!.queries.listChunks({ sha1s: chunks.map(sha1Of) })
  t.same(Object.keys(kept).toSorted(), chunks.slice(2).map(sha1Of).toSorted(), 'the newest 4 MiB')
})

t.test('the sizes of all source maps are read once for a bundle, not for each of its maps', async (t) => {
  const db = new DatabaseSync(join(app.inboxSetup.folder, 'inbox.db'), { timeout: 10_000 })
  t.teardown(() => db.close())
  // A source map without a reference is deleted when the sizes are read.
  db.exec(`CREATE TABLE deletion (uploaded INTEGER);
    CREATE TRIGGER add_stray AFTER INSERT ON uploaded_map BEGIN
      INSERT INTO source_map (debug_id, size, body) VALUES ('stray ' || new.id, 0, x'');
    END;
    CREATE TRIGGER note_deletion AFTER DELETE ON source_map BEGIN
      INSERT INTO deletion SELECT max(id) FROM uploaded_map;
    END`)
  const paths = Array.from({ length: 20 }, (_path, at) => `assets/${at}.js.map`)
  const files = Object.fromEntries(paths.map((path) => [path, { type: 'source_map', url: `~/${path}` }]))
  const maps = paths.map((name, at) => ({ name, body: JSON.stringify(mapTo(at + 1, name)) }))
  const bundle = zip([...maps, { name: 'manifest.json', body: JSON.stringify({ files }) }])
  t.match((await upload(bundle, { version: '20.0' })).json(), { state: 'ok' })
  t.match(db.prepare('SELECT count(DISTINCT uploaded) AS times, count(*) AS maps FROM deletion').get(), {
    times: 1,
    maps: 20
  })
  db.exec('DROP TRIGGER add_stray; DROP TRIGGER note_deletion; DROP TABLE deletion')
})
