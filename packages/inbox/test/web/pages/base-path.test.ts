import type { FastifyInstance, InjectOptions } from 'fastify'
import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { BASE_PATH_SITE } from '@hull/test-helpers/base-path.ts'
import { signIn } from '@hull/test-helpers/inbox-visitor.ts'
import { buildSite } from '@hull/test-helpers/site.ts'
import { findInboxScreens } from '../../helpers/screen-list.ts'
import { issueIn, seedFolder } from '../../helpers/screens.ts'

const [pages] = BASE_PATH_SITE
const site = await buildSite(pages, {
  place: { basePath: '/shop' },
  roots: [{ folder: '@hull/inbox/web', prefix: '/inbox' }]
})
const { app } = await createTestApp(t, { site, env: seedFolder(t) })
const below = {
  inject: (request: InjectOptions) => app.inject({ ...request, url: `/shop${String(request.url)}` })
} as unknown as FastifyInstance
const admin = await signIn(below)

const addressesIn = (html: string) =>
  Array.from(html.matchAll(/ (?:href|src|action|formaction)="(\/(?!\/)[^"]*)"/g), ([, address]) => address!)

t.test('below a base path, every link, form and file of the inbox has the prefix', async (t) => {
  for (const screen of await findInboxScreens(admin)) {
    const path = screen.replace(/^\/shop/, '')
    const { statusCode, body } = await admin.get(path, { accept: 'text/html' })
    t.equal(statusCode, 200, path)
    const addresses = addressesIn(body)
    t.ok(addresses.length > 0, `${path}: ${addresses.length} addresses`)
    t.same(
      addresses.filter((address) => !address.startsWith('/shop/')),
      [],
      path
    )
  }
})

t.test('below a base path, the addresses to copy have the prefix', async (t) => {
  const { body } = await admin.get('/inbox/settings')
  t.match(body, /https?:\/\/[\da-f]{32}@[^/"]+\/shop\/\d+</)
  t.notMatch(body, /@[^/"]+\/\d+</)
  await admin.post('/inbox/settings/people', { intent: 'invite', role: 'viewer' })
  t.match((await admin.get('/inbox/settings/people')).body, /https?:\/\/[^/"]+\/shop\/inbox\/invitation\?token=/)
})

t.test('below a base path, a change redirects to its page, and signing out to the sign-in', async (t) => {
  const issue = issueIn((await admin.get('/inbox/issues')).body)
  const changed = await admin.post(`/inbox/issues/${issue}`, { do: 'comment', text: 'Seen.' })
  t.equal(changed.statusCode, 303)
  t.match(changed.headers.location, `/shop/inbox/issues/${issue}`)
  const left = await admin.post('/inbox/sign-out')
  t.equal(left.statusCode, 303)
  t.match(left.headers.location, /^\/shop\/inbox/)
  const { statusCode, body } = await admin.get('/inbox/issues', { accept: 'text/html' })
  t.equal(statusCode, 401)
  t.match(body, 'href="/shop/inbox/sign-in')
})
