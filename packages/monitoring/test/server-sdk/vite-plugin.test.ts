import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { build, type Rolldown } from 'vite'
import { monitoringBuild } from '../../src/vite.ts'

const SDK = '@sentry/browser'

/** Builds an application outside of this project, so that it cannot resolve packages of this project. */
async function buildApplication(t: Test, other?: string): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), 'hull-vite-plugin-'))
  t.teardown(() => rmSync(root, { recursive: true }))
  writeFileSync(
    join(root, 'entry.js'),
    `import('${SDK}').then(({ captureException }) => captureException(new Error('own')))`
  )
  if (other !== undefined) {
    const folder = join(root, 'node_modules', SDK)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: SDK, version: '11.12.0', main: 'index.js' }))
    writeFileSync(join(folder, 'index.js'), other)
  }
  const result = (await build({
    root,
    configFile: false,
    logLevel: 'silent',
    plugins: [monitoringBuild()],
    build: { write: false, minify: false, rolldownOptions: { input: join(root, 'entry.js') } }
  })) as Rolldown.RolldownOutput
  return result.output.map((file) => (file.type === 'chunk' ? file.code : '')).join('\n')
}

t.test("an application's import of the SDK resolves to Hull's copy", async (t) => {
  const installed = await buildApplication(t, 'export const captureException = () => "another copy"')
  t.match(installed, 'function captureException(')
  t.notMatch(installed, 'another copy')
})

t.test('the application can import the SDK without installing it', async (t) => {
  t.match(await buildApplication(t), 'function captureException(')
})
