import { join } from 'node:path'
import { withSentryConfig } from '@sentry/nextjs/config'

const config = withSentryConfig(
  { turbopack: { root: join(import.meta.dirname) } },
  { tunnelRoute: '/monitoring', silent: true, telemetry: false, sourcemaps: { disable: true } }
)

export default {
  ...config,
  // The rewrite rules of the tunnel, which lead to the provider on this machine instead of the hosted one.
  async rewrites () {
    const rules = await config.rewrites()
    const list = Array.isArray(rules) ? rules : rules.beforeFiles
    return list.map((rule) => ({ ...rule, destination: rule.destination.replace(/^https:\/\/[^/]+/, process.env.PROVIDER) }))
  }
}
