import { request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { createListeningApp, createTestApp } from '@hull/test-helpers/app.ts'
import { BASE_PATH_SITE, CDN } from '@hull/test-helpers/base-path.ts'
import type { LogRecorder } from '@hull/test-helpers/log-recorder.ts'
import { buildFixtureSite, buildSite } from '@hull/test-helpers/site.ts'

const warningsOf = ({ lines }: LogRecorder) => lines.filter(({ level }) => level === 40).map(({ msg }) => String(msg))

const site = await buildSite(...BASE_PATH_SITE)
const { app } = await createTestApp(t, { site, env: { INBOX: 'on', BASE_URL: 'https://app.example' } })

t.test('links, forms and public files have the prefix, and pages do not see it', async (t) => {
  const { body, statusCode } = await app.inject('/shop/')
  t.equal(statusCode, 200)
  t.match(body, '<a href="/shop/">Home</a> <a href="/shop/cart">Cart</a> <a href="//other.example/x">')
  t.match(body, '<h1>Home at /, /, 200</h1>', 'a fetch of an own route needs no prefix')
  t.match(body, '<a href="/shop/old">Old</a>', 'withBasePath adds the prefix')
  t.match(body, '<link rel="canonical" href="https://app.example/shop/" data-head>')
  t.match(body, 'hreflang="de" href="https://app.example/shop/de"')
  t.match(body, 'src="/shop/favicon.svg"')
  t.match(body, /"tunnel":"\/shop\/monitoring"/)
  t.match(body, /"unwatched":"\/shop\/inbox"/)
  t.equal((await app.inject('/shop')).body.includes('<h1>Home at /'), true, 'the path without the trailing slash')
  t.match((await app.inject('/shop/cart')).body, '<form action="/shop/cart" method="post">')
})

t.test('page data has the prefix', async (t) => {
  const { body, statusCode } = await app.inject('/shop/-/data/cart?from=data')
  t.equal(statusCode, 200)
  t.match(body, '"data"')
  t.equal((await app.inject('/-/data/cart')).statusCode, 404)
})

t.test('redirects have the prefix once, and only in documents', async (t) => {
  const document = await app.inject('/shop/old')
  t.equal(document.headers.location, '/shop/cart?from=redirect')
  t.equal(
    (await app.inject('/shop/passed-on')).headers.location,
    '/shop/cart?from=redirect',
    'a redirect of an own route'
  )
  const data = await app.inject('/shop/-/data/old')
  t.match(data.json(), { redirect: /^\/cart\?from=redirect$/ }, 'the browser adds the prefix')
  t.equal((await app.inject('/shop/cart/')).headers.location, '/shop/cart')
  const posted = await app.inject({
    method: 'POST',
    url: '/shop/cart',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'a=1'
  })
  t.equal(posted.headers.location, '/shop/cart')
  t.match(posted.headers['set-cookie'], /^__Secure-session=\S+;.* Path=\/shop;/)
})

t.test('probes respond with and without the prefix', async (t) => {
  for (const url of ['/healthz', '/shop/healthz']) t.equal((await app.inject(url)).statusCode, 200, url)
  for (const url of ['/readyz', '/metrics'])
    t.equal((await app.inject(`/shop${url}`)).statusCode, (await app.inject(url)).statusCode, url)
})

t.test('the sign-in link of the inbox has the prefix', async (t) => {
  const { printed } = await createListeningApp(t, { site, env: { INBOX: 'on' } })
  t.match(printed.join(), /http:\/\/localhost:\d+\/shop\/inbox\/sign-in\?token=/)
})

t.test(
  'a path without the prefix says where the application is, and one warning says how to correct the proxy',
  async (t) => {
    const { app, logs } = await createTestApp(t, { site })
    for (const url of ['/', '/cart', '/shopping', '/-/data/cart']) {
      const { statusCode, body } = await app.inject({ url, headers: { accept: 'application/json' } })
      t.equal(statusCode, 404, url)
      t.match(JSON.parse(body), { code: 'APP_BASE_PATH_OUTSIDE', detail: /are below \/shop\/$/ }, url)
    }
    const warnings = warningsOf(logs)
    t.equal(warnings.length, 1)
    t.match(warnings[0], /outside of BASE_PATH=\/shop.*\/shop\/.*nginx: proxy_pass without a path/)
  }
)

t.test('a warning names the prefix that a proxy strips if the build has none', async (t) => {
  const { app, logs } = await createTestApp(t, { site: await buildFixtureSite() })
  for (let i = 0; i < 2; i++) await app.inject({ url: '/plain', headers: { 'x-forwarded-prefix': '/shop' } })
  const warnings = warningsOf(logs)
  t.equal(warnings.length, 1)
  t.match(warnings[0], /sent X-Forwarded-Prefix, but the application was built without BASE_PATH/)
})

t.test('refuses to start with other settings than those of the build', async (t) => {
  await t.rejects(createTestApp(t, { site, env: { BASE_PATH: '/other' } }), {
    code: 'APP_BUILD_PLACE',
    message: /^BASE_PATH is \/other, but the build was made with \/shop: run npm run build/
  })
  await t.rejects(createTestApp(t, { site, env: { ASSETS_URL: 'https://else.example' } }), {
    code: 'APP_BUILD_PLACE',
    message: new RegExp(`^ASSETS_URL is https://else.example, but the build was made with ${CDN}:`)
  })
  for (const [name, value] of [
    ['BASE_PATH', 'shop'],
    ['BASE_PATH', '/shop/'],
    ['ASSETS_URL', '//cdn.example'],
    ['ASSETS_URL', 'https://cdn.example/?v=1']
  ] as const)
    await t.rejects(createTestApp(t, { site, env: { [name]: value } }), {
      code: 'APP_CONFIG_INVALID',
      message: /expected (a path|an http)/
    })
  await createTestApp(t, { site, env: { BASE_PATH: '/shop', ASSETS_URL: `${CDN}/` } })
})

t.test('built files have the URL of the CDN, and the content security policy allows its origin', async (t) => {
  const { body, headers } = await app.inject('/shop/cart')
  const origin = new URL(CDN).origin
  for (const directive of ['script-src', 'style-src', 'img-src', 'font-src', 'connect-src', 'media-src'])
    t.match(headers['content-security-policy'], new RegExp(`${directive} 'self'[^;]* ${origin}`), directive)
  const tags = body.match(/<(?:script type="module"|link rel="(?:stylesheet|modulepreload)")[^>]*>/g)!
  t.ok(tags.length > 3)
  for (const tag of tags)
    t.match(tag, new RegExp(`(src|href)="${CDN}/assets/[^"]+" crossorigin integrity="sha384-[\\w+/]{64}"`), tag)
  const file = /src="http:\/\/cdn\.test\/files(\/assets\/[^"]+)"/.exec(body)![1]!
  const asset = await app.inject(`/shop${file}`)
  t.equal(asset.statusCode, 200)
  t.match(asset.headers, { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' })
})

t.test('a target in absolute form has the prefix too', async (t) => {
  const { port, logs } = await createListeningApp(t, { site })
  const answer = await new Promise<number>((resolve, reject) => {
    httpRequest({ port, host: '127.0.0.1', path: `http://127.0.0.1:${port}/shop/cart` }, (response) => {
      void text(response).then(() => resolve(response.statusCode!))
    })
      .on('error', reject)
      .end()
  })
  t.equal(answer, 200)
  t.same(warningsOf(logs), [])
})
