import t from 'tap'
import { request } from '@hull/test-helpers/raw-client.ts'
import { openTarget } from '@hull/test-helpers/target.ts'

t.test('a method that a page does not have is 405 with the allowed methods', async (t) => {
  const { send } = await openTarget(t)
  for (const method of [
    'PROPFIND',
    'OPTIONS',
    'TRACE',
    'PUT',
    'DELETE',
    'PATCH',
    'MKCOL',
    'SEARCH',
    'M-SEARCH',
    'PURGE'
  ]) {
    const { status, headers } = await send(request(`${method} /form HTTP/1.1`))
    t.equal(status, 405, method)
    t.equal(headers.allow, 'GET, HEAD, POST')
  }
  t.equal((await send(request('PROPFIND /nowhere HTTP/1.1'))).status, 404)
})

t.test('an invalid method is 400, and the response does not repeat it', async (t) => {
  const { send } = await openTarget(t)
  for (const method of ['FOO', 'get', 'GETT', '', 'G\0T', 'GET\t', '<script>', 'x'.repeat(9_000)]) {
    const { status, body, headers } = await send(request(`${method} / HTTP/1.1`))
    t.equal(status, 400, method.slice(0, 20))
    t.equal(headers['content-type'], 'application/json')
    t.same(JSON.parse(body), { error: 'Bad Request', message: 'Client Error', statusCode: 400 })
  }
})

t.test('CONNECT closes the connection', async (t) => {
  const { send } = await openTarget(t)
  for (const target of ['evil.example:443', '127.0.0.1:22', 'localhost'])
    t.equal((await send(request(`CONNECT ${target} HTTP/1.1`))).text, '', target)
})

t.test('a target without a page is 404 or 400, and is not redirected', async (t) => {
  const { send } = await openTarget(t)
  for (const [target, status] of [
    ['//evil.example', 404],
    ['//evil.example/', 404],
    ['//evil.example/%2f..', 404],
    ['//evil.example/%2e%2e', 404],
    ['/%2f/evil.example/', 404],
    ['/\\evil.example/', 404],
    ['/-/data//evil.example/', 404],
    ['/-/data/-/data/about', 404],
    ['/-/data', 404],
    ['/-/', 404],
    ['/../../etc/passwd', 404],
    ['/%2e%2e/%2e%2e/etc/passwd', 404],
    ['/about;x=1', 404],
    ['/about%00', 404],
    ['/%61bout%2f', 404],
    ['/about#part', 400],
    ['/about?a#part', 400],
    ['http://localhost/about#part', 400],
    ['ftp://localhost/about', 400],
    ['http:/about', 400],
    ['*', 404],
    ['about', 400],
    ['?x', 400],
    ['\\\\evil.example', 400],
    ['/a b', 400],
    ['/a\x01b', 400],
    ['/a\0b', 400],
    ['/a\x7fb', 400],
    ['/items/\xc3\xbc', 400],
    ['/items/\xff', 400],
    ['/%zz', 400],
    ['/items/%ff', 400],
    ['/items/%', 400],
    ['/items/%c0%af', 400]
  ] as const) {
    const answer = await send(request(`GET ${target} HTTP/1.1`))
    t.equal(answer.status, status, JSON.stringify(target))
    t.equal(answer.headers.location, undefined)
  }
})

t.test('a target in absolute form is served as its path, and its host replaces Host', async (t) => {
  const { send, logs } = await openTarget(t)
  for (const target of [
    'http://app.example:81/about',
    'HTTP://app.example:81/about',
    'http://app.example:81/about?x=1'
  ]) {
    const { status, body } = await send(request(`GET ${target} HTTP/1.1`, ['Host: other.example']))
    t.equal(status, 200, target)
    t.match(body, 'http://app.example:81/about')
    t.notMatch(body, 'other.example')
  }
  t.equal((await send(request('GET http://[::1]:81/about HTTP/1.1'))).status, 200)
  t.equal((await send(request('GET http://app.example/about HTTP/1.0', []))).status, 200)
  for (const target of ['http://app.example', 'http://app.example/', 'http://app.example?x=1'])
    t.match((await send(request(`GET ${target} HTTP/1.1`))).body, '<h1>', target)
  const data = await send(request('GET https://app.example/-/data/about HTTP/1.1'))
  t.match(data.headers['content-type'], 'application/json')
  t.equal((await send(request('GET http://app.example/about/ HTTP/1.1'))).headers.location, '/about')
  t.equal((await send(request('GET http://app.example/nowhere HTTP/1.1'))).status, 404)
  t.equal((await send(request('GET http://app.example/guarded HTTP/1.1'))).status, 401)
  const paths = new Set(logs.lines.filter(({ msg }) => msg === 'request').map(({ path }) => path))
  t.ok(paths.has('/-/data/about'))
  t.notOk([...paths].some((path) => String(path).includes('example')))
})

t.test('the host of a target in absolute form is validated as Host is', async (t) => {
  const { send } = await openTarget(t)
  for (const authority of [
    '',
    'a:b:c',
    '[::1',
    'user@app.example',
    'user:word@app.example',
    'a b',
    'a:99999',
    'a%41'
  ]) {
    const { status, text } = await send(request(`GET http://${authority}/about HTTP/1.1`))
    t.equal(status, 400, authority)
    t.notMatch(text, 'class="frame"><main')
  }
  const { body } = await send(request('GET http://user@app.example/about HTTP/1.1'))
  t.match(body, 'APP_BAD_HOST')
})

t.test('OPTIONS * applies to the server; * is no path of another method', async (t) => {
  const { send } = await openTarget(t)
  const { status, headers } = await send(request('OPTIONS * HTTP/1.1'))
  t.equal(status, 204)
  t.equal(headers.allow, 'GET, HEAD, POST, OPTIONS')
  t.ok(headers['content-security-policy'], 'it has the headers of every response')
  for (const method of ['GET', 'HEAD', 'POST']) t.equal((await send(request(`${method} * HTTP/1.1`))).status, 404)
  t.equal((await send(request('OPTIONS * HTTP/1.1', ['Host: a:b:c']))).status, 400)
})

t.test('removing a trailing slash redirects only to this host', async (t) => {
  const { send } = await openTarget(t)
  for (const [target, location] of [
    ['/about/', '/about'],
    ['/about/?to=//evil.example/', '/about?to=//evil.example/'],
    ['/items/%2f%2fevil.example/', '/items/%2f%2fevil.example'],
    ['/items/%5cevil.example/', '/items/%5cevil.example']
  ] as const) {
    const { status, headers } = await send(request(`GET ${target} HTTP/1.1`))
    t.equal(status, 308, target)
    t.equal(headers.location, location)
  }
})

t.test('long and deep paths get a response', async (t) => {
  const { send } = await openTarget(t)
  for (const [path, status] of [
    ['/items/' + 'x'.repeat(15_000), 404],
    ['/items/' + '%C3%BC'.repeat(2_048), 200],
    ['/items/' + '%C3%BC'.repeat(2_049), 404],
    ['/docs' + '/x'.repeat(7_000), 200],
    ['/' + '/'.repeat(15_000), 404],
    ['/about?' + 'a=b&'.repeat(3_500), 200],
    ['/items/' + 'x'.repeat(17_000), 431]
  ] as const) {
    t.equal((await send(request(`GET ${path} HTTP/1.1`))).status, status, `${path.slice(0, 20)} ${path.length}`)
  }
})

t.test('names of Object.prototype are ordinary names', async (t) => {
  const { send } = await openTarget(t)
  for (const name of ['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString']) {
    t.equal((await send(request(`GET /${name} HTTP/1.1`))).status, 404, name)
    t.match((await send(request(`GET /items/${name} HTTP/1.1`))).body, `Item &quot;${name}&quot;`)
    t.match((await send(request(`GET /docs/${name}/${name} HTTP/1.1`))).body, `[&quot;${name}&quot;`)
    t.equal((await send(request(`GET /assets/${name} HTTP/1.1`))).status, 404)
    t.equal((await send(request(`GET /about?${name}[${name}]=x&${name}=y HTTP/1.1`))).status, 200)
    const headers = ['Host: localhost', `${name}: x`, `Cookie: ${name}=x`]
    t.equal((await send(request('GET /guarded HTTP/1.1', headers))).status, 401)
  }
  t.equal(({} as { x?: unknown }).x, undefined)
})

t.test('other versions of HTTP get a response, or their connection is closed', async (t) => {
  const { send } = await openTarget(t)
  const plain = await send('GET /about HTTP/1.0\r\n\r\n')
  t.equal(plain.status, 200)
  t.equal(plain.headers['transfer-encoding'], undefined)
  t.equal((await send('GET /stream?hold=1 HTTP/1.0\r\n\r\n')).headers['transfer-encoding'], undefined)
  t.equal((await send('GET /about\r\n\r\n')).status, 200, 'HTTP/0.9')
  for (const version of ['HTTP/1.9', 'HTTP/3.0', 'HTTP/1', 'http/1.1', 'ICE/1.0', 'HTTP/99999.1'])
    t.equal((await send(request(`GET / ${version}`))).status, 400, version)
  t.equal((await send('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')).status, 400)
  t.equal((await send('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03')).status, 400, 'TLS')
  t.equal((await send('\r\n\r\n\r\n\0\0\0')).status, 400)
})
