import t from 'tap'
import { invalid } from '../../../shell/src/client/forms/invalid.ts'
import { readForm, toFormState } from '../../../shell/src/http/form.ts'

const URLENCODED = { 'content-type': 'application/x-www-form-urlencoded' }
const read = async (body: string, headers = URLENCODED) => [...(await readForm(Buffer.from(body), headers))]

t.test('reads fields in their order, repeated ones too', async (t) => {
  t.same(await read('a=1&b=2&a=3'), [
    ['a', '1'],
    ['b', '2'],
    ['a', '3']
  ])
  t.same(await read('a=%C3%BC+%26'), [['a', 'ü &']])
  t.same(await read('a&=b&&'), [
    ['a', ''],
    ['', 'b']
  ])
})

t.test('keeps an invalid percent sequence as it was typed', async (t) => {
  t.same(await read('a=100%&b=%ZZ&c=%e'), [
    ['a', '100%'],
    ['b', '%ZZ'],
    ['c', '%e']
  ])
})

t.test('a request without a body or a content type is an empty form', async (t) => {
  t.same([...(await readForm(undefined, URLENCODED))], [])
  t.same([...(await readForm(Buffer.from('a=1'), {}))], [])
})

t.test('a body that cannot be parsed is APP_FORM_MALFORMED, with its cause', async (t) => {
  for (const type of ['multipart/form-data', 'multipart/form-data; boundary=x', 'application/json', 'nonsense'])
    await t.rejects(
      readForm(Buffer.from('a=1'), { 'content-type': type }),
      { code: 'APP_FORM_MALFORMED', cause: Error },
      type
    )
})

t.test('names of Object.prototype are ordinary field names', async (t) => {
  const form = await readForm(Buffer.from('__proto__=x&constructor=y&toString=z'), URLENCODED)
  const { values } = toFormState(form, invalid({}))
  t.equal(values.constructor as unknown, 'y')
  t.equal(values.toString as unknown, 'z')
  t.equal(Object.getPrototypeOf(values), Object.prototype)
  t.equal(({} as { x?: unknown }).x, undefined)
})

t.test('does not return secrets and files to the form', async (t) => {
  const form = new FormData()
  for (const name of [
    'name',
    'password',
    'passphrase',
    'pwd',
    'userPwd',
    'newPassword',
    'api_token',
    'clientSecret',
    'cvc',
    'PIN',
    'otp'
  ])
    form.append(name, 'typed')
  form.append('file', new File(['x'], 'x.txt'))
  t.same(toFormState(form, invalid({ name: 'No.' })), { errors: { name: 'No.' }, values: { name: 'typed' } })
})

t.test('accepts 2,000 fields, and refuses more', async (t) => {
  t.equal((await read('a=b&'.repeat(2_000))).length, 2_000)
  for (const count of [2_001, 100_000])
    await t.rejects(read('a=b&'.repeat(count)), { code: 'APP_FORM_TOO_MANY_FIELDS', statusCode: 413 })
})

t.test(
  'counts the separators of fields before it parses the body, because parsing a mebibyte takes seconds',
  async (t) => {
    const malformed = '--b\r\n'.repeat(2_002)
    await t.rejects(read('&'.repeat(2_002)), { code: 'APP_FORM_TOO_MANY_FIELDS' })
    for (const parameters of [
      'boundary=b',
      'boundary="b"',
      'boundary="b',
      'boundary="\\b"',
      'x="; boundary=y";boundary=b'
    ])
      await t.rejects(
        read(malformed, { 'content-type': `multipart/form-data; ${parameters}` }),
        { code: 'APP_FORM_TOO_MANY_FIELDS' },
        parameters
      )
    await t.rejects(read(malformed, { 'content-type': 'multipart' }), { code: 'APP_FORM_MALFORMED' })
  }
)
