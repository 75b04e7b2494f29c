import { join } from 'node:path'
import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { postForm } from '@hull/test-helpers/post-form.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

const site = await buildSite(join(import.meta.dirname, '../fixtures/invalid'))
const { app, logs } = await createTestApp(t, { site })

const MUST_BE = 'it must be a component'

/** Pages with a mistake that the build cannot find: path, file, and the expected log message. */
const MISTAKES: Array<[url: string, file: string, says: string]> = [
  ['/default-text', 'client/pages/default-text.tsx', `exports a string as default; ${MUST_BE}`],
  ['/default-element', 'client/pages/default-element.tsx', `exports an element as default; ${MUST_BE}`],
  ['/default-list', 'client/pages/default-list.tsx', `exports an array as default; ${MUST_BE}`],
  ['/default-object', 'client/pages/default-object.tsx', `exports an object as default; ${MUST_BE}`],
  ['/default-date', 'client/pages/default-date.tsx', `exports an instance of Date as default; ${MUST_BE}`],
  ['/default-none', 'client/pages/default-none.tsx', `exports null as default; ${MUST_BE}`],
  ['/layout', 'client/layouts/broken.tsx', `exports a string as default; ${MUST_BE}`],
  ...['guard', 'getData', 'getMeta', 'action'].map((name): [string, string, string] => [
    `/${name}`,
    `client/pages/${name}.tsx`,
    `"${name}" is an object; it must be a function`
  ]),
  ['/title-number', 'client/pages/title-number.tsx', 'getMeta returned a number as "title"; it must be text'],
  ['/title-object', 'client/pages/title-object.tsx', 'getMeta returned an object as "title"; it must be text'],
  ['/title-none', 'client/pages/title-none.tsx', 'getMeta returned null as "title"; it must be text']
]

/** Actions with invalid return values. */
const ACTIONS: Array<[name: string, says: string]> = [
  ['response', 'action returned an instance of Response'],
  ['function', 'action returned a function'],
  ['errors', 'takes an object of sentences'],
  ['sentences', 'takes an object of sentences'],
  ['broken', 'takes an object of sentences']
]

for (const [url, file, says] of MISTAKES) {
  t.test(`${url} is 500 APP_PAGE_INVALID, and the log names the file`, async (t) => {
    for (const prefix of ['', '/-/data']) {
      const { statusCode, body } = await app.inject(prefix + url)
      t.equal(statusCode, 500)
      t.notMatch(body, 'it must be')
      const [line, ...others] = logs.takeErrors()
      t.match(line, { err: { code: 'APP_PAGE_INVALID', message: `${file}: ${says}` } })
      t.match(body, String(line?.digest))
      t.same(others, [])
    }
  })
}

for (const [name, says] of ACTIONS) {
  t.test(`an action that returns an invalid value (${name}) is 500, and the log names the file`, async (t) => {
    for (const accept of ['text/html', 'application/json']) {
      const { statusCode, body } = await postForm(app, `/action/${name}`, { name: 'Ada' }, { accept })
      t.equal(statusCode, 500)
      t.notMatch(body, 'secret')
      const [line, ...others] = logs.takeErrors()
      t.match(line, { err: { code: 'APP_PAGE_INVALID', message: `client/pages/action/${name}.tsx: ` } })
      t.match(line, { err: { message: says } })
      t.match(body, String(line?.digest))
      t.same(others, [])
    }
  })
}

t.test('a status of a refused form that is not from 400 to 499 is 500, and the log names the file', async (t) => {
  for (const status of ['200', '399', '500', '429.5', '"429"', 'null']) {
    const { statusCode, body } = await postForm(app, '/action/status', { status })
    t.equal(statusCode, 500, status)
    t.notMatch(body, 'secret')
    const [line] = logs.takeErrors()
    const message = 'client/pages/action/status.tsx: invalid(…) in action takes a status from 400 to 499'
    t.match(line, { err: { code: 'APP_PAGE_INVALID', message } })
  }
})

t.test('another page is served', async (t) => {
  t.equal((await app.inject('/')).statusCode, 200)
})
