import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { findMistakes } from '@hull/test-helpers/valid-html.ts'
import { CATALOGUE } from '../../../../client/components/lab/catalogue.ts'

/** Paths of the lab that respond without delay. */
const LAB_ADDRESSES = CATALOGUE.flatMap(({ behaviours }) =>
  behaviours.flatMap(({ href, also = [] }) => [href, ...also.map(([to]) => to)])
).filter((path) => !/never|slow/.test(path))

t.test('the HTML of every page is valid', async (t) => {
  const { app, logs } = await createTestApp(t)
  for (const path of ['/', '/nowhere', ...LAB_ADDRESSES]) {
    const { headers, body } = await app.inject({ url: path, headers: { accept: 'text/html' } })
    // A redirect has no document.
    if (headers.location !== undefined) continue
    t.match(headers['content-type'], 'text/html', path)
    t.same(await findMistakes(body), [], path)
  }
  logs.takeErrors()
})

t.test('finds a mistake', async (t) => {
  const html =
    '<!doctype html><html lang="en"><head><title>x</title></head><body><span><div>x</div></span></body></html>'
  t.match((await findMistakes(html)).join('\n'), 'element-permitted-content')
})
