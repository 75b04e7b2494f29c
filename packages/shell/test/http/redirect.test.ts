import t from 'tap'
import { redirectStatus, resolveRedirect } from '../../src/http/redirect.ts'
import { Redirect } from '../../../common/src/outcomes.ts'

const FROM = {
  method: 'GET',
  url: '/from?a',
  changesNothing: true,
  formOrigins: ['https://own.example', 'https://pay.example']
}
const resolve = (to: string, options = {}, request = FROM) => resolveRedirect(new Redirect(to, options), request)

t.test('redirects to a path of this application', async (t) => {
  for (const [to, target] of [
    ['/about', '/about'],
    ['/about?x=1#y', '/about?x=1#y'],
    ['/', '/'],
    ['/from', '/from'],
    ['/a b', '/a%20b'],
    ['/ü', '/%C3%BC'],
    ['?b=1', '/from?b=1'],
    ['?', '/from'],
    ['?b#c', '/from?b#c']
  ] as const)
    t.equal(resolve(to), target)
})

t.test('redirects to another origin only with `external`, and only by http and https', async (t) => {
  t.equal(resolve('https://other.example/path', { external: true }), 'https://other.example/path')
  for (const to of ['https://other.example', '//other.example', '/\\other.example', '\\\\other.example', 'other', ''])
    t.throws(() => resolve(to), { code: 'APP_REDIRECT_UNSAFE' }, to)
  for (const to of [
    'javascript:alert(1)',
    'JAVASCRIPT:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd'
  ])
    t.throws(() => resolve(to, { external: true }), { code: 'APP_REDIRECT_UNSAFE' }, to)
})

t.test('the error of a refused redirect, which is logged, has no query', async (t) => {
  for (const to of [
    'https://other.example/x?token=1',
    'https://other.example/x#token=1',
    'other?token=1',
    '//other/?a\nb'
  ])
    t.throws(() => resolve(to), { code: 'APP_REDIRECT_UNSAFE', message: /^Redirect to [^?#]* refused: / }, to)
  t.throws(() => resolve('?a'), { code: 'APP_REDIRECT_LOOP', message: /^\/from redirects to itself: / })
})

t.test('redirects an action only to the origins that its form may lead to', async (t) => {
  const post = (to: string) => resolve(to, { external: true }, { ...FROM, method: 'POST' })
  for (const to of ['/about', 'https://own.example/about', 'https://pay.example/x?token=1']) t.equal(post(to), to)
  for (const to of ['https://other.example/x?token=1', 'http://pay.example/', 'https://pay.example:444/'])
    t.throws(() => post(to), { code: 'APP_REDIRECT_ORIGIN', message: /^An action redirects to [^?]+REDIRECT_ORIGINS$/ })
})

t.test('never writes a line break into the header', async (t) => {
  for (const to of ['/a\r\nX-Evil: 1', '/a\nb', 'https://other.example/\r\nX-Evil: 1'])
    t.notMatch(resolve(to, { external: true }), /[\r\n]/, JSON.stringify(to))
})

t.test('refuses a GET that redirects to itself without a change', async (t) => {
  t.throws(() => resolve('/from?a'), { code: 'APP_REDIRECT_LOOP' })
  t.equal(resolve('/from?a', {}, { ...FROM, changesNothing: false }), '/from?a', 'a cookie is set')
  t.equal(resolve('/from?a', {}, { ...FROM, method: 'POST' }), '/from?a', 'after an action')
  t.equal(resolve('/from?b'), '/from?b')
  for (const to of ['?a', '#b', '/from?a#b']) t.throws(() => resolve(to), { code: 'APP_REDIRECT_LOOP' }, to)
  t.equal(resolve('#b', {}, { ...FROM, method: 'POST' }), '/from?a#b', 'after an action')
})

t.test('the status code depends on whether the redirect is permanent, and on the method', async (t) => {
  t.equal(redirectStatus('GET', false), 302)
  t.equal(redirectStatus('HEAD', false), 302)
  t.equal(redirectStatus('POST', false), 303)
  t.equal(redirectStatus('GET', true), 308)
  t.equal(redirectStatus('POST', true), 303, 'the form is not posted again')
  t.equal(redirectStatus('POST', true, true), 308, 'except if only a slash is removed')
})
