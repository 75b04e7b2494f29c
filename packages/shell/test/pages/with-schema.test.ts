import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { postForm } from '@hull/test-helpers/post-form.ts'
import { buildSite } from '@hull/test-helpers/site.ts'
import { typeCheck } from '@hull/test-helpers/type-check.ts'

const site = await buildSite(join(import.meta.dirname, '../fixtures/forms'))
const { app, logs } = await createTestApp(t, { site })
const GOOD: Array<[string, string]> = [
  ['email', 'ada@example.org'],
  ['amount', '3'],
  ['address.city', 'Oslo']
]

const post = (url: string, fields: Array<[string, string]> | string, accept = 'application/json') =>
  postForm(app, url, fields, { accept })

t.test('an action with a schema', async (t) => {
  t.test('receives typed values', async (t) => {
    const { statusCode, headers } = await post('/order', [...GOOD, ['tags[]', 'dry'], ['tags[]', 'fast']], 'text/html')
    t.equal(statusCode, 303)
    const sent = new URL(String(headers.location), 'http://localhost').searchParams.get('sent')
    t.same(JSON.parse(sent!), {
      email: 'ada@example.org',
      amount: 3,
      address: { city: 'Oslo' },
      tags: ['dry', 'fast']
    })
  })

  t.test('does not run with invalid fields: 422 with an error for each field, and the typed values', async (t) => {
    const fields: Array<[string, string]> = [
      ['email', 'ada'],
      ['amount', '0'],
      ['address.city', ''],
      ['tags[]', 'wet'],
      ['tags[]', 'dry'],
      ['password', 'hunter2'],
      ['userPass', 'hunter2'],
      ['smsOtpCode', 'hunter2'],
      ['passengers', '2'],
      ['footprint', '7'],
      ['spotPrice', '9'],
      ['smsOtp', '123456']
    ]
    const page = await post('/order', fields, 'text/html')
    t.equal(page.statusCode, 422)
    for (const text of ['Enter an e-mail address.', 'Order one or more.', 'Enter a city.', 'value="ada"'])
      t.match(page.body, text)
    t.notMatch(page.body, 'hunter2')
    t.match((await app.inject('/order')).body, 'value="me@example.org"', 'a field can have an initial value')
    const data = await post('/order', fields)
    t.equal(data.statusCode, 422)
    t.same(data.json().form, {
      errors: {
        email: 'Enter an e-mail address.',
        amount: 'Order one or more.',
        'address.city': 'Enter a city.',
        tags: 'Choose tags of the list.'
      },
      values: {
        email: 'ada',
        amount: '0',
        'address.city': '',
        tags: ['wet', 'dry'],
        passengers: '2',
        footprint: '7',
        spotPrice: '9'
      }
    })
  })

  t.test('has a text area with the props of its field', async (t) => {
    t.match(
      (await app.inject('/order')).body,
      /<textarea (?=[^>]*\bid="remark")(?=[^>]*\brequired="")[^>]*\bmaxLength="80"/
    )
  })

  t.test('has fields whose labels, hints and errors refer to their id', async (t) => {
    const { body } = await post('/twice', [['email', 'ada']], 'text/html')
    for (const [label, id] of [
      ['Sign in', 'email'],
      ['Sign up', 'new-email']
    ]) {
      t.match(body, `<label for="${id}">${label}</label>`)
      t.match(body, new RegExp(`<input (?=[^>]*\\bid="${id}")[^>]*\\bname="email"`))
    }
    t.match(body, /aria-describedby="new-email-hint new-email-error"/)
    t.match(body, /id="new-email-hint".*id="new-email-error"/s)
  })

  t.test('can have an asynchronous schema, and one that refuses the form as a whole', async (t) => {
    const { statusCode, body } = await post('/order', [...GOOD, ['amount', '13']])
    t.equal(statusCode, 422)
    t.same(JSON.parse(body).form.errors, { form: 'An order of 13 is not taken.' })
  })

  t.test('lists an error of the whole form without a link', async (t) => {
    const whole = await post('/order', [...GOOD, ['amount', '13']], 'text/html')
    t.match(whole.body, '>Your form was not sent:</h2><ul><li>An order of 13 is not taken.</li></ul>')
    const field = await post('/order', [...GOOD, ['amount', '0']], 'text/html')
    t.match(
      field.body,
      '>Your form was not sent. Check one field:</h2><ul><li><a href="#amount">Order one or more.</a></li></ul>'
    )
  })

  t.test('can refuse values itself', async (t) => {
    const response = await post('/order', [...GOOD, ['email', 'taken@example.org'], ['tags[]', 'dry']])
    t.equal(response.statusCode, 422)
    t.match(response.json().form, { errors: { email: 'This address has ordered.' }, values: { tags: ['dry'] } })
  })

  t.test('validates files', async (t) => {
    const send = (content: string) => {
      const payload = new FormData()
      for (const [name, value] of GOOD) payload.set(name, value)
      payload.set('photo', new File([content], 'a.png'))
      return app.inject({ method: 'POST', url: '/order', headers: { accept: 'application/json' }, payload })
    }
    t.match((await send('12345')).json().redirect, encodeURIComponent('"photo":5'))
    t.same((await send('12345678901')).json().form.errors, { photo: 'Choose a file of at most 10 bytes.' })
  })

  t.test('also accepts valibot and arktype', async (t) => {
    t.equal((await post('/valibot', 'name=Ada&home.city=Oslo')).statusCode, 200)
    const valibot = await post('/valibot', 'name=&home.city=Oslo')
    t.same(valibot.json().form, { errors: { name: 'Enter a name.' }, values: { name: '', 'home.city': 'Oslo' } })
    t.equal((await post('/arktype', 'name=Ada&tags[]=a')).statusCode, 200)
    const arktype = await post('/arktype', 'name=&tags[]=a')
    t.match(arktype.json().form, { errors: { name: /^name must be non-empty/ }, values: { name: '', tags: ['a'] } })
  })
})

t.test('params and search with a schema', async (t) => {
  const read = async (url: string) => {
    const { statusCode, body } = await app.inject(`/-/data${url}`)
    return statusCode === 200 ? JSON.parse(body).data : [statusCode, JSON.parse(body).code]
  }

  t.test('are typed, with defaults', async (t) => {
    t.match(await read('/lots/6?shop=north&page=2&filter[]=a'), { id: 7, page: 3, sort: 'name', filter: ['a'] })
    t.match(await read('/lots/6?shop=north'), { id: 7, page: 2, pathname: '/lots/6' })
  })

  t.test('make the page 404 if params are invalid', async (t) => {
    t.same(await read('/lots/six?shop=north'), [404, 'APP_NOT_FOUND'])
    t.equal((await app.inject('/lots/six?shop=north')).statusCode, 404)
  })

  t.test('use the default for an invalid value of the query, and name it', async (t) => {
    t.match(await read('/lots/6?shop=north&page=0&sort=name&filter=a'), {
      page: 2,
      sort: 'name',
      filter: [],
      errors: 'Pages begin at 1.'
    })
  })

  t.test('refuse the page if a required value is missing or invalid: 400 with its name', async (t) => {
    for (const query of ['?page=2', '?shop=closed']) {
      t.same(await read(`/lots/6${query}`), [400, 'APP_SEARCH_INVALID'])
      t.match((await app.inject(`/lots/6${query}`)).body, 'The address has no valid value for: shop')
    }
  })
})

t.test('refuses malformed field names, and too many fields', async (t) => {
  for (const name of ['__proto__', '__proto__.polluted', 'a.constructor.b', 'address', `address.${'x.'.repeat(9)}`]) {
    const response = await post('/order', [...GOOD, [name, 'x']])
    t.match([response.statusCode, response.json().code], [400, 'APP_FIELD_NAME'], name)
  }
  t.equal((await app.inject('/-/data/lots/6?shop=a&__proto__.x=1')).json().code, 'APP_FIELD_NAME')
  t.equal(({} as { polluted?: string }).polluted, undefined)

  const fields = (count: number) => [...GOOD, ...Array(count - 3).fill(['tags[]', 'dry'])] as Array<[string, string]>
  t.equal((await post('/order', fields(100))).statusCode, 200)
  for (const url of ['/order', '/valibot']) {
    const response = await post(url, fields(10_000))
    t.match([response.statusCode, response.json().code], [413, 'APP_FORM_TOO_MANY_FIELDS'])
  }
})

t.test('a schema that throws is 500 with a digest, and the log names the page and the schema', async (t) => {
  for (const part of ['form', 'search']) {
    const response = await (part === 'form' ? post('/broken', 'name=throw') : app.inject('/broken?name=throw'))
    t.equal(response.statusCode, 500)
    t.notMatch(response.body, /schema/)
    const [line, ...others] = logs.takeErrors()
    t.same(others, [])
    t.match(line, {
      err: {
        code: 'APP_SCHEMA_FAILED',
        message: `client/pages/broken.tsx: the zod schema for "${part}" threw`,
        stack: /secret schema detail/
      }
    })
    t.match(response.body, String(line?.digest))
  }
})

t.test('a value that is not a schema is 500, and the log names the page', async (t) => {
  t.equal((await post('/no-schema', 'name=Ada')).statusCode, 500)
  const message = 'client/pages/no-schema.tsx: withSchema() takes a Standard Schema as "form"'
  t.match(logs.takeErrors(), [{ err: { code: 'APP_PAGE_INVALID', message } }])
})

t.test("the browser's bundle has no code of a schema", async (t) => {
  const files = globSync('client/**/*.js', { cwd: site.dist }).map((file) =>
    readFileSync(join(site.dist, file), 'utf8')
  )
  t.ok(files.some((text) => text.includes('form-error')))
  t.same(
    files.filter((text) => /marker-of-the-schema|~standard|ZodError/.test(text)),
    []
  )
})

t.test('the types of values, params, search and errors follow from the schemas', async (t) => {
  const { code, output } = await typeCheck(site)
  t.equal(code, 0, output)
})
