import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** Metrics that prom-client adds. The documents name some of them. */
const DEFAULTS = /^(?:process|nodejs)_/

t.test(
  'docs/deploy.md and docs/monitoring.md name each metric of an application with an inbox and a provider',
  async (t) => {
    // Nothing listens on the port.
    const { app } = await createTestApp(t, { env: { INBOX: 'on', SENTRY_DSN: 'https://key@127.0.0.1:1/1' } })
    await app.ready()
    const names = [...(await app.metrics.print()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!)
    const own = names.filter((name) => !DEFAULTS.test(name))
    t.ok(own.length > 20)
    const documents = ['docs/deploy.md', 'docs/monitoring.md']
      .map((path) => readFileSync(join(ROOT, path), 'utf8'))
      .join('\n')
    t.same(
      own.filter((name) => !new RegExp(`\`${name}[\`{]`).test(documents)),
      []
    )
  }
)
