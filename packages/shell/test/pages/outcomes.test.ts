import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { redirect } from '../../../common/src/outcomes.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'

const site = await buildFixtureSite()
const BROWSER = { accept: 'text/html', host: 'app.example' }
const PLACES = ['guard', 'data', 'component', 'suspense']

t.test('an outcome thrown in any place', async (t) => {
  const { app } = await createTestApp(t, { site, env: { SIGN_IN_PATH: '/sign-in' } })

  t.test('has its status code, a fallback in the layout, and noindex', async (t) => {
    for (const where of PLACES) {
      for (const [what, status, words] of [
        ['unauthorized', 401, 'Sign in to see this page.'],
        ['forbidden', 403, 'this page is not open to you'],
        ['missing', 404, 'No such thing.']
      ] as const) {
        const response = await app.inject({ url: `/outcome/${where}/${what}?a=b`, headers: BROWSER })
        t.equal(response.statusCode, status, `${what} in ${where}`)
        t.match(response.body, words)
        t.match(response.body, '<meta name="robots" content="noindex" data-head>')
        t.match(response.body, 'class="frame"')
        t.equal(response.headers['cache-control'], 'private, no-store')
        t.equal(
          response.body.includes(`/sign-in?return=${encodeURIComponent(`/outcome/${where}/${what}?a=b`)}`),
          status === 401,
          'only a 401 has a link to sign in'
        )
      }
    }
  })

  t.test('links to the sign-in page that it names', async (t) => {
    for (const where of PLACES) {
      const { body } = await app.inject({ url: `/outcome/${where}/unauthorized-elsewhere?a=b`, headers: BROWSER })
      const back = encodeURIComponent(`/outcome/${where}/unauthorized-elsewhere?a=b`)
      t.match(body, `href="/members/sign-in?return=${back}"`, where)
      t.notMatch(body, '"/sign-in')
    }
    t.match((await app.inject('/-/data/outcome/data/unauthorized-elsewhere')).json(), {
      detail: 'Members only.',
      outcome: { signInHref: '/members/sign-in?return=%2Foutcome%2Fdata%2Funauthorized-elsewhere' }
    })
  })

  t.test('is a problem for a program', async (t) => {
    for (const url of [
      '/outcome/guard/forbidden',
      '/-/data/outcome/data/forbidden',
      '/-/data/outcome/guard/forbidden'
    ]) {
      const response = await app.inject({ url, headers: { accept: 'application/json' } })
      t.equal(response.statusCode, 403, url)
      t.equal(response.headers['content-type'], 'application/problem+json; charset=utf-8')
      t.match(response.json(), { type: 'about:blank', title: 'Forbidden', status: 403, code: 'APP_FORBIDDEN' })
    }
    t.match((await app.inject('/-/data/outcome/data/unauthorized')).json(), {
      meta: { title: 'Sign in', robots: 'noindex' },
      outcome: { status: 401, code: 'APP_UNAUTHORIZED', signInHref: '/sign-in?return=%2Foutcome%2Fdata%2Funauthorized' }
    })
  })

  t.test('can be a redirect', async (t) => {
    for (const where of PLACES) {
      const response = await app.inject({ url: `/outcome/${where}/redirect`, headers: BROWSER })
      t.equal(response.statusCode, 302, where)
      t.equal(response.headers.location, '/about?from=outcome')
    }
    t.equal((await app.inject('/outcome/data/query?a')).headers.location, '/outcome/data/query?saved')
    t.match((await app.inject('/-/data/outcome/data/query?a')).json(), { redirect: '/outcome/data/query?saved' })
    const posted = await app.inject({ method: 'POST', url: '/outcome/action/query', headers: BROWSER })
    t.equal(posted.headers.location, '/outcome/action/query?saved')
    const permanent = await app.inject('/outcome/data/permanent')
    t.equal(permanent.statusCode, 308)
    t.equal((await app.inject('/outcome/data/external')).headers.location, 'https://other.example/path')
  })

  t.test('has no Location header for a navigation, because fetch would follow it', async (t) => {
    const response = await app.inject('/-/data/outcome/data/permanent')
    t.equal(response.statusCode, 200)
    t.equal(response.headers.location, undefined)
    t.same(response.json(), { redirect: '/about', permanent: true, replace: true })
    const { data } = (await app.inject('/-/data/outcome/component/redirect')).json()
    t.match(data, { where: 'component' }, 'no component is rendered for page data')
  })

  t.test('is 303 after an action', async (t) => {
    for (const [what, status] of [
      ['redirect', 303],
      ['permanent', 303],
      ['missing', 404],
      ['forbidden', 403],
      ['nothing', 303]
    ] as const) {
      const response = await app.inject({ method: 'POST', url: `/outcome/action/${what}`, headers: BROWSER })
      t.equal(response.statusCode, status, what)
    }
  })
})

t.test('a redirect of a route, or of a page that a program requests, has a Location header', async (t) => {
  const { app } = await createTestApp(t, { site })
  app.get('/api/callback', async () => redirect('/about?from=api'))
  app.post('/api/callback', async () => redirect('/about?from=api'))
  app.get('/page-of-route', async () => redirect('/about?from=route'))
  for (const [url, headers, to] of [
    ['/api/callback', BROWSER, '/about?from=api'],
    ['/api/callback', { accept: 'application/json' }, '/about?from=api'],
    ['/page-of-route', { accept: 'application/json' }, '/about?from=route'],
    ['/outcome/data/redirect', { accept: 'application/json' }, '/about?from=outcome']
  ] as const) {
    const { statusCode, headers: sent } = await app.inject({ url, headers })
    t.same([statusCode, sent.location], [302, to], `${url} ${headers.accept}`)
  }
  const posted = await app.inject({ method: 'POST', url: '/api/callback', headers: { accept: 'application/json' } })
  t.same([posted.statusCode, posted.headers.location], [303, '/about?from=api'])
})

t.test('an invalid redirect', async (t) => {
  const { app, logs } = await createTestApp(t, { site })

  t.test('does not lead to another origin without `external`, or to another scheme', async (t) => {
    for (const what of ['sneaky', 'double-slash', 'script']) {
      const response = await app.inject({ url: `/outcome/data/${what}`, headers: BROWSER })
      t.equal(response.statusCode, 500, what)
      t.equal(response.headers.location, undefined)
      t.notMatch(response.body, 'other.example')
      t.match(logs.takeErrors(), [{ err: { code: 'APP_REDIRECT_UNSAFE' } }])
    }
  })

  t.test('does not lead to itself, unless a cookie is set', async (t) => {
    const loop = await app.inject({ url: '/loop', headers: BROWSER })
    t.equal(loop.statusCode, 500)
    t.match(logs.takeErrors(), [{ err: { code: 'APP_REDIRECT_LOOP' } }])
    const cookie = await app.inject({ url: '/loop?cookie', headers: BROWSER })
    t.equal(cookie.statusCode, 302)
    t.equal((await app.inject({ url: '/loop?cookie', headers: { ...BROWSER, cookie: 'seen=yes' } })).statusCode, 200)
    for (const how of ['reply', 'header', 'session']) {
      const { statusCode, headers } = await app.inject({ url: `/loop?${how}`, headers: BROWSER })
      t.equal(statusCode, 302, how)
      t.ok(headers['set-cookie'], how)
    }
  })
})

t.test('chooses between HTML and a JSON problem by the Accept header and by what loads it', async (t) => {
  const { app } = await createTestApp(t, { site })
  for (const [accept, type] of [
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', /^text\/html/],
    ['*/*', /^text\/html/],
    [undefined, /^text\/html/],
    ['application/json', /^application\/problem\+json/],
    ['application/problem+json', /^application\/problem\+json/],
    ['application/json, text/html;q=0.5', /^application\/problem\+json/],
    ['text/html, application/json;q=0.5', /^text\/html/]
  ] as const) {
    const response = await app.inject({ url: '/nowhere', headers: accept === undefined ? {} : { accept } })
    t.match(response.headers['content-type'], type, String(accept))
    t.equal(response.statusCode, 404)
  }
  for (const [destination, type] of [
    ['image', /^application\/problem\+json/],
    ['script', /^application\/problem\+json/],
    ['document', /^text\/html/],
    ['iframe', /^text\/html/],
    ['empty', /^text\/html/]
  ] as const) {
    const headers = { accept: 'image/avif,image/webp,*/*;q=0.8', 'sec-fetch-dest': destination }
    const response = await app.inject({ url: '/nowhere.png', headers })
    t.match(response.headers['content-type'], type, `for ${destination}`)
    t.equal(response.statusCode, 404)
  }
  const api = await app.inject({ url: '/api/nowhere', headers: { accept: 'text/html' } })
  t.match(api.headers['content-type'], /^application\/problem\+json/, '/api')
})
