import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

const site = await buildSite(join(import.meta.dirname, '../../packages/shell/test/fixtures/visitors'))

t.test('a small picture has the same URL on the server and in the browser, and is never inlined', async (t) => {
  const { app } = await createTestApp(t, { site })
  const { body } = await app.inject('/picture')
  const sources = [...body.matchAll(/<img src="([^"]*)"/g)].map(([, source]) => source!)
  t.match(sources, [/^\/assets\/dot-[\w-]+\.png$/, /^\/assets\/line-[\w-]+\.svg$/])

  const scripts = globSync('client/assets/*.js', { cwd: site.dist }).map((file) =>
    readFileSync(join(site.dist, file), 'utf8')
  )
  for (const source of sources) {
    t.ok(
      scripts.some((script) => script.includes(source.slice('/assets/'.length))),
      'a script of the browser has the same URL'
    )
    t.equal((await app.inject(source)).statusCode, 200)
  }
  const styles = globSync('client/assets/*.css', { cwd: site.dist }).map((file) =>
    readFileSync(join(site.dist, file), 'utf8')
  )
  t.notMatch([...scripts, ...styles].join(), 'data:image')
})
