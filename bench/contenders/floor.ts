import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { build } from 'vite'
import { BENCH, emptyFolder, folderOf, logOf, type Contender } from './contender.ts'

const source = join(BENCH, 'floor')
const folder = folderOf('floor')

/**
 * `node:http`, `renderToString`, a payload in JSON and one hydration script: the minimum of work that rendering and
 * hydrating this tree needs.
 */
export const floor: Contender = {
  name: 'floor',
  async prepare() {
    await emptyFolder(folder)
    await buildInto('client', 'client.tsx', false)
    await buildInto('server', 'server.tsx', true)
    return { args: ['server/server.js'], cwd: folder, env: { NODE_ENV: 'production' }, log: logOf('floor') }
  }
}

async function buildInto(name: string, entry: string, ssr: boolean): Promise<void> {
  await build({
    configFile: false,
    root: source,
    logLevel: 'warn',
    plugins: [react()],
    build: { ssr, emptyOutDir: true, outDir: join(folder, name), rolldownOptions: { input: join(source, entry) } }
  })
}
