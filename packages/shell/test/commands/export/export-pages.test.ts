import { join } from 'node:path'
import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { buildSite } from '@hull/test-helpers/site.ts'
import { exportPages } from '../../../src/commands/export/export-pages.ts'

t.test('exported documents, and the 404 page, have no meta tags of a trace', async (t) => {
  const site = await buildSite(join(import.meta.dirname, '../../fixtures/export'))
  const env = { SENTRY_DSN: 'http://key@127.0.0.1:9/1', BASE_URL: 'https://app.example' }
  const { app } = await createTestApp(t, { site, env })
  const documents = new Map<string, string>()
  for await (const { file } of exportPages(app, { baseUrl: env.BASE_URL, exclude: ['/live'], include: [] }))
    if (file?.path.endsWith('.html')) documents.set(file.path, String(file.content))
  t.match([...documents.keys()], ['index.html'])
  t.match(documents.get('404.html'), 'id="hull-monitoring"', 'the 404 page reports errors')
  for (const [path, document] of documents) t.notMatch(document, /<meta name="(?:sentry-trace|baggage)"/, path)
})

t.test('an address that cannot be decoded is a problem', async (t) => {
  const site = await buildSite(join(import.meta.dirname, '../../fixtures/export'))
  const { app } = await createTestApp(t, { site })
  const problems = []
  for await (const { problem } of exportPages(app, { exclude: ['/live'], include: ['/%', '/%ff'] }))
    if (problem?.file === undefined && problem !== undefined) problems.push(problem)
  t.match(problems, [
    { address: '/%', reason: /^is no name of a file/ },
    { address: '/%ff', reason: /^is no name of a file/ }
  ])
})
