import { join } from 'node:path'
import t from 'tap'
import { resolveConfig } from 'vite'
import { hull } from '../../src/vite.ts'

t.test('variables for the browser come from all files of the project, and from the environment first', async (t) => {
  const root = t.testdir({
    'package.json': '{}',
    client: { pages: {} },
    '.env': 'VITE_A=env\nVITE_B=env\nVITE_C=env\nVITE_D=env\nVITE_E=env',
    '.env.local': 'VITE_B=local\nVITE_E=local',
    '.env.production': 'VITE_C=production',
    '.env.production.local': 'VITE_D=production.local',
    '.env.development': 'VITE_A=development'
  })
  const names = ['VITE_A', 'VITE_B', 'VITE_C', 'VITE_D', 'VITE_E']
  t.teardown(() => {
    for (const name of names) delete process.env[name]
  })
  process.env['VITE_E'] = 'environment'
  // As config.ts does.
  process.loadEnvFile(join(root, '.env'))
  const { env } = await resolveConfig({ configFile: false, plugins: [hull({ root })] }, 'build', 'production')
  t.same(
    names.map((name) => env[name] as unknown),
    ['env', 'local', 'production', 'production.local', 'environment']
  )
})
