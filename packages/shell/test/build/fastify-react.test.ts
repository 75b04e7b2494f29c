import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import { hull } from '../../src/vite.ts'
import { toFileRoute } from '../../src/routing/route-path.ts'
import { createServer } from 'vite'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

/** Builds a site with these files, and returns the messages of the error and its causes. */
async function buildError(t: Test, files: Record<string, string>): Promise<string> {
  const folder = createFolder(t)
  for (const [path, code] of Object.entries(files)) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, code)
  }
  return buildSite(folder).then(
    () => 'built',
    (error: Error & { cause?: unknown }) => {
      const messages: string[] = []
      for (let cause: typeof error | undefined = error; cause; cause = cause.cause as typeof error)
        messages.push(cause.message)
      return messages.join('\n')
    }
  )
}

const COMPONENT = 'export default () => null\n'

t.test('unsupported features of @fastify/react are build errors with an alternative', async (t) => {
  t.match(
    await buildError(t, {
      'pages/index.tsx': `import { useHead } from '@unhead/react'\n${COMPONENT}export const path = useHead.name`
    }),
    'client/pages/index.tsx: "path" must be written as an address'
  )
  t.match(
    await buildError(t, {
      'pages/index.tsx': `import { useHead } from '@unhead/react'\nexport default () => useHead({})`
    }),
    'client/pages/index.tsx imports @unhead/react, which Hull does not have: title and tags of a page are what its getMeta returns'
  )
  t.match(
    await buildError(t, {
      'pages/index.tsx': `import { createServerAction, useServerAction } from '$app/core.jsx'\nexport default () => useServerAction(createServerAction())`
    }),
    'client/pages/index.tsx imports useServerAction from $app/core.jsx, which Hull does not have: fetch in getData with ctx.fetch'
  )
  t.match(
    await buildError(t, {
      'pages/index.tsx': `import { Outlet } from 'react-router'\nexport default () => <Outlet />`
    }),
    'client/pages/index.tsx imports Outlet from react-router, which Hull does not have: it has Link, NavLink'
  )
  t.match(
    await buildError(t, { 'pages/index.tsx': `import Root from '$app/root.jsx'\nexport default () => <Root />` }),
    'client/pages/index.tsx imports $app/root.jsx, which Hull does not have'
  )
  t.match(
    await buildError(t, { 'pages/index.tsx': COMPONENT, 'context.ts': 'export const fetch = () => {}' }),
    'client/context.ts: every page\'s context has a "fetch" of its own; give the export another name'
  )
  t.match(
    await buildError(t, { 'pages/a.tsx': `${COMPONENT}export const path = '/b'`, 'pages/b.jsx': COMPONENT }),
    'Two files for one address: client/pages/a.tsx and client/pages/b.jsx'
  )
})

t.test('converts a path to the notation of file names', async (t) => {
  const cases = {
    '/': 'index',
    '/about': 'about',
    '/users/:id/edit': 'users/[id]/edit',
    '/files/*': 'files/[...rest]',
    '/files/:name+': 'files/[...name]'
  }
  for (const [path, fileRoute] of Object.entries(cases)) t.equal(toFileRoute('/pages/x.tsx', path), fileRoute, path)
  t.equal(toFileRoute('/pages/x.tsx', undefined), undefined)
  for (const path of ['about', '/[id]'])
    t.throws(() => toFileRoute('/pages/x.tsx', path), /client\/pages\/x\.tsx: "path" is an address/)
})

t.test('resolves the entries also by the names that Vite derives from the files of a published package', async (t) => {
  const root = createFolder(t)
  mkdirSync(join(root, 'client'))
  const server = await createServer({
    root: join(root, 'client'),
    configFile: false,
    logLevel: 'silent',
    plugins: [hull({ root })],
    server: { middlewareMode: true, ws: false, watch: null }
  })
  t.teardown(() => server.close())
  const { pluginContainer } = server.environments.ssr!
  for (const ending of ['', '.js']) {
    t.match((await pluginContainer.resolveId(`$app/index.ts${ending}`))?.id, '/client/entry/index.ts')
    t.match((await pluginContainer.resolveId(`/$app/mount.ts${ending}`))?.id, '/client/entry/mount.ts')
  }
})
