import { join } from 'node:path'
import t from 'tap'
import { createViteConfig } from '../../lib/build/vite-config.ts'
import { resolveConfig } from 'vite'
import { monitoringBuild } from '../../lib/telemetry/vite-plugin.ts'

const root = join(import.meta.dirname, '../..')

const resolve = (plugins: Parameters<typeof createViteConfig>[0]['plugins']) =>
  resolveConfig({ ...createViteConfig({ root, build: true, plugins }), configFile: false }, 'build')

t.test("monitoring's plugin prepares the SDK, and the shell's configuration knows nothing of it", async (t) => {
  const without = await resolve([])
  t.notMatch(JSON.stringify([without.optimizeDeps.include, without.environments]), /sentry/i)
  const { optimizeDeps, environments } = await resolve([monitoringBuild()])
  t.ok(optimizeDeps.include!.includes('@sentry/browser') && optimizeDeps.include!.includes('react'))
  t.match(environments.client!.define, { __SENTRY_DEBUG__: 'false' })
})
