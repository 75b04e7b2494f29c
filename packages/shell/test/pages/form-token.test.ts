import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { postForm } from '@hull/test-helpers/post-form.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

const site = await buildSite(join(import.meta.dirname, '../fixtures/forms'))
const { app, logs } = await createTestApp(t, { site })

const post = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
  postForm(app, '/pay', fields, headers)
const pay = (token: string, amount = '7', headers?: Record<string, string>) =>
  post({ amount, 'form-token': token }, headers)
const read = async () => (await app.inject('/-/data/pay')).json().data as { token: string; payments: number }

t.test('each rendered page has another token', async (t) => {
  t.not((await read()).token, (await read()).token)
})

t.test('one token runs the action once, and each request gets the first response', async (t) => {
  const { token, payments } = await read()
  const answers = [...(await Promise.all([pay(token), pay(token), pay(token)])), await pay(token)]
  for (const { statusCode, headers, cookies } of answers) {
    t.equal(statusCode, 303)
    t.equal(headers.location, `/pay?paid=${payments + 1}`)
    t.equal(headers['x-payment'], String(payments + 1))
    t.match(String(headers['set-cookie']), /session=\S+; Max-Age=3600;/)
    t.same(cookies.map(({ name }) => name).sort(), ['paid', 'session'], 'with cookies and session')
  }
  t.equal((await read()).payments, payments + 1)
  t.equal((await pay(randomUUID())).headers.location, `/pay?paid=${payments + 2}`, 'another token is another payment')
})

t.test('an action with a schema receives its values, and also runs once', async (t) => {
  const token = randomUUID()
  for (let i = 0; i < 2; i++) {
    const { headers } = await postForm(app, '/pay-inside', { amount: '7', 'form-token': token })
    t.equal(headers.location, '/pay-inside?paid=7')
  }
})

t.test('a fetcher gets the data of the first response', async (t) => {
  const { token, payments } = await read()
  const headers = { accept: 'application/json', 'x-fetcher': '1' }
  for (let i = 0; i < 2; i++) t.same((await pay(token, '1', headers)).json().data, { payment: payments + 1 })
})

t.test('a refused or failed form can be sent again with its token', async (t) => {
  const { token, payments } = await read()
  t.equal((await pay(token, 'x')).statusCode, 422)
  t.equal((await pay(token, '13')).statusCode, 422)
  t.equal((await pay(token, '500')).statusCode, 500)
  t.equal(logs.takeErrors().length, 1)
  t.equal((await pay(token, '8')).headers.location, `/pay?paid=${payments + 2}`)
})

t.test('the token of an accepted form with other values is 409', async (t) => {
  const { token, payments } = await read()
  t.equal((await pay(token)).statusCode, 303)
  const refused = await pay(token, '9')
  t.equal(refused.statusCode, 409)
  t.match(refused.body, 'APP_FORM_TOKEN_REUSED')
  t.equal((await read()).payments, payments + 1)
})

t.test('one token runs the action once for each URL', async (t) => {
  const fields = { 'form-token': randomUUID() }
  for (const address of ['/cancel/1?part=a', '/cancel/2?part=a', '/cancel/2?part=b', '/cancel/1?part=a'])
    t.equal((await postForm(app, address, fields)).statusCode, 303)
  t.same((await app.inject('/-/data/cancel/1')).json().data.cancelled, ['1 a', '2 a', '2 b'])
})

t.test('a form without a valid token is 400', async (t) => {
  const { payments } = await read()
  for (const token of ['', 'short', 'x'.repeat(65), '../../store-key-of-another']) {
    const refused = await pay(token)
    t.equal(refused.statusCode, 400)
    t.match(refused.body, 'APP_FORM_TOKEN_MISSING')
  }
  t.equal((await post({ amount: '7' })).statusCode, 400)
  t.equal((await read()).payments, payments)
})

t.test('a page that is cached for all visitors has no token', async (t) => {
  t.equal((await app.inject('/cached-token')).statusCode, 500)
  t.match(logs.takeErrors(), [{ err: { code: 'APP_PAGE_CACHE_PRIVATE' } }])
})

t.test('a file with other content is another value', async (t) => {
  const token = randomUUID()
  const send = async (content: string) => {
    const form = new FormData()
    form.set('form-token', token)
    form.set('receipt', new File([content], 'receipt.txt'))
    const message = new Response(form)
    const { statusCode } = await app.inject({
      method: 'POST',
      url: '/cancel/3',
      headers: { 'content-type': message.headers.get('content-type')! },
      payload: Buffer.from(await message.arrayBuffer())
    })
    return statusCode
  }
  t.same([await send('Ada'), await send('Ada'), await send('Eve')], [303, 303, 409])
})
