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

  t.test('its page and the section of its page', async (t) => {
    t.same(await marked('/sections/a'), ['/sections', '/sections/', '/sections/a', '/sections/a?q=1#x'])
  })

  t.test('an exact link on its own page only', async (t) => {
    t.same(await marked('/sections?page=2'), ['/sections', '/sections/', 'exact'])
  })

  t.test('no path that only begins with the same letters', async (t) => {
    t.same(await marked('/sections/ab'), ['/sections', '/sections/'])
  })

  t.test('a path that the address encodes', async (t) => {
    t.same(await marked('/sections/%C3%BC'), ['/sections', '/sections/', '/sections/ü'])
  })
})
