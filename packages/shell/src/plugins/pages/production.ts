import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { loadEntry, type Renderer } from '../../render/renderer.ts'

/**
 * Loads the build and passes it to the renderer, as @fastify/vite does in production. Its own code for this takes 8 %
 * of the start.
 * @see docs/decisions/061-start.md
 * @param dist output folder of the build
 */
export async function loadBuild(
  app: FastifyInstance,
  { dist, renderer }: { dist: string; renderer: Renderer }
): Promise<void> {
  const read = (file: string) => readFileSync(join(dist, file), 'utf8')
  const viteConfig = JSON.parse(read('vite.config.json')) as { base: string }
  const client = await renderer.prepareClient({ ssr: await loadEntry(dist) })
  for (const route of await client.routes) renderer.createRoute({ route })
  renderer.createHtmlFunction(read('client/index.html'), app, { viteConfig })
}
