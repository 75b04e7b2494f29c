import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'

const site = await buildFixtureSite()

t.test('a guard', async (t) => {
  const { app } = await createTestApp(t, { site })

  t.test('protects the document, its data and its action', async (t) => {
    for (const request of [
      { url: '/guarded' },
      { url: '/-/data/guarded' },
      { url: '/guarded', method: 'POST' },
      { url: '/guarded', method: 'HEAD' },
      { url: '/-/data/%67uarded' },
      { url: '/guarded', headers: { accept: 'application/json' } },
      { url: '/guarded', method: 'POST', headers: { accept: 'application/json' } }
    ] as const) {
      const response = await app.inject(request)
      t.equal(response.statusCode, 401, JSON.stringify(request))
      t.notMatch(response.body, 'members only')
    }
  })

  t.test("of a layout protects every page in it, and the layout's data is available", async (t) => {
    const response = await app.inject({ url: '/guarded', headers: { 'x-user': 'ada' } })
    t.equal(response.statusCode, 200)
    t.match(response.body, 'Signed in as ada')
    t.match(response.body, 'members only')
    t.match((await app.inject({ url: '/-/data/guarded', headers: { 'x-user': 'ada' } })).json(), {
      data: { secret: 'members only' },
      layouts: ['default', 'members'],
      layoutData: [null, { user: 'ada' }]
    })
  })

  t.test('of an outer layout runs first', async (t) => {
    t.equal((await app.inject('/guarded/admin')).statusCode, 401)
    const refused = await app.inject({ url: '/guarded/admin', headers: { 'x-user': 'ada' } })
    t.equal(refused.statusCode, 403)
    t.match(refused.body, 'Admins only.')
    t.equal((await app.inject({ url: '/guarded/admin', headers: { 'x-user': 'admin' } })).statusCode, 200)
  })

  t.test('that returns false refuses', async (t) => {
    t.equal((await app.inject({ url: '/guarded/admin?refuse', headers: { 'x-user': 'admin' } })).statusCode, 403)
  })
})
