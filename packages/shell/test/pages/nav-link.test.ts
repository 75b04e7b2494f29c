import { join } from 'node:path'
import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

t.test('<NavLink> marks in the document', async (t) => {
  const { app } = await createTestApp(t, { site: await buildSite(join(import.meta.dirname, '../fixtures/moves')) })
  const marked = async (url: string) => {
    const { body } = await app.inject({ url })
    const nav = body.slice(body.indexOf('aria-label="Sections"'))
    return [...nav.matchAll(/<a ([^>]*)>([^<]*)<\/a>/g)]
      .filter(([, attributes]) => attributes!.includes('aria-current="page"'))
      .map(([, , text]) => text)
  }

  t.test('links to the page and to its section', async (t) => {
    t.same(await marked('/sections/a'), ['/sections', '/sections/', '/sections/a', '/sections/a?q=1#x'])
  })

  t.test('an exact link only on its own page', async (t) => {
    t.same(await marked('/sections?page=2'), ['/sections', '/sections/', 'exact'])
  })

  t.test('not a path that only starts with the same letters', async (t) => {
    t.same(await marked('/sections/ab'), ['/sections', '/sections/'])
  })

  t.test('a path that is encoded in the URL', async (t) => {
    t.same(await marked('/sections/%C3%BC'), ['/sections', '/sections/', '/sections/ü'])
  })
})
