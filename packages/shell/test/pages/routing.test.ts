import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'

const site = await buildFixtureSite()

t.test('the paths of pages', async (t) => {
  const { app } = await createTestApp(t, { site })
  app.get('/logo@2x.txt', async () => 'logo')
  app.post('/form;v=1', async () => 'posted')
  const get = async (url: string, headers = {}) => {
    const response = await app.inject({ url, headers: { accept: 'text/html', host: 'app.example', ...headers } })
    return {
      status: response.statusCode,
      heading: /<h1[^>]*>(.*?)<\/h1>/.exec(response.body)?.[1]?.replaceAll('&quot;', '"'),
      location: response.headers.location,
      body: response.body,
      headers: response.headers
    }
  }

  t.test('follow from their file names', async (t) => {
    for (const [url, heading] of [
      ['/', 'Home'],
      ['/items/new', 'New item'],
      ['/items/7', 'Item "7"'],
      ['/items/a%2Fb', 'Item "a/b"'],
      ['/items/%2525', 'Item "%25"'],
      ['/docs/a/b%2Fc', 'Docs ["a","b/c"]'],
      ['/shop', 'Shop []'],
      ['/shop/a/b', 'Shop ["a","b"]'],
      ['/pricing', 'Pricing'],
      ['/%70ricing', 'Pricing'],
      [`/items/${'x'.repeat(2_048)}`, `Item "${'x'.repeat(2_048)}"`]
    ] as const)
      t.match(await get(url), { status: 200, heading }, url.slice(0, 40))
  })

  t.test('are 404 if there is no page', async (t) => {
    for (const url of [
      '/nowhere',
      '/About',
      '/docs',
      '/marketing/pricing',
      '//',
      '//about',
      '/docs//a',
      `/items/${'x'.repeat(2_049)}`,
      '//other.example/',
      '/docs//'
    ]) {
      const { status, location } = await get(url)
      t.equal(status, 404, url.slice(0, 40))
      t.equal(location, undefined)
    }
  })

  t.test('are 400 if they cannot be decoded', async (t) => {
    for (const url of ['/%E0%A4%A', '/items/%', '/docs/a/%zz', '/-/data/items/%ff'])
      t.equal((await get(url)).status, 400, url)
  })

  t.test('lose one trailing slash by a permanent redirect, which keeps the query', async (t) => {
    t.match(await get('/about/?a=b%20c'), { status: 308, location: '/about?a=b%20c' })
    t.match(await get('/items/7/'), { status: 308, location: '/items/7' })
    t.match(await get('/docs/a/'), { status: 308, location: '/docs/a' })
    t.match(await get('/shop/'), { status: 308, location: '/shop' })
    const posted = await app.inject({ method: 'POST', url: '/form/' })
    t.match(posted, { statusCode: 308, headers: { location: '/form' } }, 'the redirect keeps the method and the body')
    t.match(await get('/nowhere/'), { status: 404, location: undefined })
  })

  t.test('redirect to the unencoded form of a character that needs no encoding', async (t) => {
    t.match(await get('/c++'), { status: 200, heading: 'C++' })
    t.match(await get('/c%2b%2B/?a=%2B'), { status: 308, location: '/c%2b%2B?a=%2B' })
    t.match(await get('/c%2b%2B?a=%2B'), { status: 308, location: '/c++?a=%2B' })
    t.match(await get('/logo%402x.txt'), { status: 308, location: '/logo@2x.txt' }, 'a route that is not a page')
    t.match((await app.inject('/-/data/c%2B%2B')).json(), { redirect: '/c++', permanent: true })
    const posted = await app.inject({ method: 'POST', url: '/form%3Bv%3D1' })
    t.match(
      posted,
      { statusCode: 308, headers: { location: '/form;v=1' } },
      'the redirect keeps the method and the body'
    )
    t.match(await get('/items/a%2Bb%40c'), { status: 200, heading: 'Item "a+b@c"' }, 'a parameter can have both forms')
    for (const url of ['/none%2B', '/logo%2F2x', '//other.example%40x'])
      t.match(await get(url), { status: 404, location: undefined }, url)
    t.equal((await app.inject('/-/data/none%2B')).statusCode, 404)
  })

  t.test('accept GET, HEAD and, with an action, POST', async (t) => {
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'POST'] as const) {
      const response = await app.inject({ method: method as 'PUT', url: '/about' })
      t.equal(response.statusCode, 405, method)
      t.equal(response.headers.allow, 'GET, HEAD', method)
    }
    const response = await app.inject({ method: 'PUT', url: '/form' })
    t.equal(response.headers.allow, 'GET, HEAD, POST')
    const head = await app.inject({ method: 'HEAD', url: '/about' })
    t.equal(head.statusCode, 200)
    t.equal(head.body, '')
  })

  t.test('have their data at a path of its own, for GET and HEAD only', async (t) => {
    const response = await app.inject('/-/data/items/7?x=1')
    t.equal(response.headers['x-payload-codec'], 'json')
    t.match(response.json(), {
      page: '/pages/items/[id].tsx',
      params: { id: '7' },
      pathname: '/items/7',
      data: { id: '7' },
      layouts: ['default']
    })
    t.equal(response.headers['cache-control'], 'private, no-store')
    t.equal((await app.inject({ method: 'HEAD', url: '/-/data/' })).statusCode, 200)
    const post = await app.inject({ method: 'POST', url: '/-/data/form' })
    t.equal(post.headers.allow, 'GET, HEAD')
    t.equal(post.statusCode, 405)
    t.match(post.json(), { code: 'APP_METHOD_NOT_ALLOWED' })
  })

  t.test('without a page have no data', async (t) => {
    for (const url of ['/-/data/nowhere', '/-/data/robots.txt', '/-/data/-/data/about', '/-/data//about']) {
      const response = await app.inject(url)
      t.equal(response.statusCode, 404, url)
      t.equal(response.headers['content-type'], 'application/problem+json; charset=utf-8')
    }
    t.match((await app.inject('/-/data/robots.txt')).json(), { code: 'APP_NO_PAGE' })
    t.equal((await app.inject('/-/data')).statusCode, 404)
    t.match((await app.inject('/-/data/about/')).json(), { redirect: '/about', permanent: true })
  })
})

t.test('a route does not run at the page-data address, however its address is spelt', async (t) => {
  const { app } = await createTestApp(t, { site })
  const calls: string[] = []
  app.get('/files/:name', async ({ url }) => calls.push(url))
  app.get('/folders/*', async ({ url }) => calls.push(url))
  for (const path of ['/files/a', '/files/a%40b', '/folders/a', '/folders/a/', '/folders/a%40b']) {
    const { statusCode } = await app.inject(`/-/data${path}`)
    t.equal(statusCode, 404, path)
  }
  t.same(calls, [])
  await app.inject('/files/a%40b')
  t.same(calls, ['/files/a%40b'])
})

t.test('the head of a page', async (t) => {
  const { app } = await createTestApp(t, { site })
  const { body } = await app.inject({ url: '/about', headers: { host: 'app.example' } })

  t.test('has its meta, escaped', async (t) => {
    t.match(body, '<title>About &lt;us&gt; &amp; &quot;them&quot;</title>')
    t.match(body, '<meta name="description" content="Who we are" data-head>')
    t.match(body, '<meta name="robots" content="index, follow" data-head>')
    t.match(body, '<link rel="canonical" href="http://app.example/about" data-head>')
    t.match(body, '<meta property="og:image" content="http://app.example/picture.png" data-head>')
  })

  t.test('links stylesheets, and preloads the modules of page, layouts and entry', async (t) => {
    const { body } = await app.inject('/items/7')
    const preloads = [...body.matchAll(/<link rel="modulepreload" href="([^"]+)">/g)].map(([, href]) => href!)
    t.ok(
      preloads.some((href) => href.includes('default')),
      'layout'
    )
    t.match(body, /<link rel="stylesheet"/)
    for (const href of preloads) t.equal((await app.inject(href)).statusCode, 200, href)
  })

  t.test('a page with `layout = null` has no layout', async (t) => {
    t.notMatch(body, 'class="frame"')
    t.match((await app.inject('/')).body, 'class="frame"')
  })
})

t.test('a page with the path of another route stops the start', async (t) => {
  const env = { SENTRY_DSN: 'http://key@127.0.0.1:9/1', TUNNEL_ALIAS: '/about' }
  await t.rejects(createTestApp(t, { site, env }), {
    code: 'APP_PAGE_ROUTE_TAKEN',
    message: 'client/pages/about.tsx has the address /about'
  })
})
