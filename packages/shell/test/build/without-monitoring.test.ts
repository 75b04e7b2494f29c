import { join } from 'node:path'
import t from 'tap'
import { resolveConfig, type PluginOption } from 'vite'
import { hull } from '../../src/build/hull.ts'
import { monitoringBuild } from '../../../monitoring/src/server-sdk/vite-plugin.ts'

const root = join(import.meta.dirname, '../../../..')

const resolve = (plugins: PluginOption[]) =>
  resolveConfig({ plugins: [hull({ root }), ...plugins], configFile: false }, 'build')

t.test("the plugin of monitoring prepares the SDK, and the shell's configuration does not mention it", async (t) => {
  const without = await resolve([])
  t.notMatch(JSON.stringify([without.optimizeDeps.include, without.environments]), /sentry/i)
  const { optimizeDeps, environments } = await resolve([monitoringBuild()])
  t.ok(optimizeDeps.include!.includes('@hull/monitoring > @sentry/browser') && optimizeDeps.include!.includes('react'))
  t.match(environments.client!.define, { __SENTRY_DEBUG__: 'false' })
})
