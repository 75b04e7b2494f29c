import { join } from 'node:path'
import type { FastifyReply } from 'fastify'
import type { ClientEntry } from '../../client/index.ts'
import { createAssetIndex } from './assets.ts'
import { createDocumentWriter, type DocumentWriter } from './document.ts'
import type { BrowserMonitoring } from '../common/monitoring.ts'
import { renderMonitoring } from './monitoring.ts'
import { createSite, type Site } from './site.ts'
import { parseTemplate } from './template.ts'

/** What the renderer keeps up to date: made once, or anew after every change in development. */
export interface RendererState {
  site: Site
  documents: DocumentWriter
}

export interface RendererOptions {
  dev: boolean
  /** The folder a build wrote. */
  dist: string
  /** What browsers report errors and spans by. @default they report nothing */
  browserMonitoring?: BrowserMonitoring
}

/** Parts of @fastify/vite's runtime configuration that are used here. */
interface RuntimeConfig {
  viteConfig: { base: string }
}

const ENTRY = '/$app/mount.ts'

/**
 * The renderer that @fastify/vite is given: @fastify/react's, with each part that has a defect replaced through the
 * function that @fastify/vite asks for. Nothing of stock's runtime is left to act, so in production it is not loaded: it
 * would bring another React and a quarter of the start. Routes are not registered here but by the pages plugin, so that a page and its
 * data share one route, one guard and one order of precedence.
 * @see docs/decisions/001-fastify-react-through-its-seams.md
 */
export async function createRenderer({ dev, dist, browserMonitoring }: RendererOptions) {
  const state = {} as RendererState
  let pages: ClientEntry['pages'] | undefined

  const renderer = {
    ...(dev ? await import('@fastify/react') : {}),

    // Stock adds two hooks and a Map to every request, for server actions that are not ours.
    prepareServer() {},

    prepareClient({ ssr }: { ssr: ClientEntry }) {
      if (ssr.pages !== pages) state.site = createSite(ssr)
      pages = ssr.pages
      return { routes: [] }
    },

    createRouteHandler() {},
    createErrorHandler() {},
    createRoute() {},

    createHtmlFunction(source: string, _scope: unknown, { viteConfig: { base } }: RuntimeConfig) {
      const template = parseTemplate(source, ENTRY)
      state.documents = createDocumentWriter({
        template,
        monitoring: browserMonitoring && renderMonitoring(browserMonitoring),
        createRoot: (view) => state.site.entry.createRoot(view),
        react: state.site.entry.react,
        assetsOf: dev
          ? () => ({ styles: '', modules: '' })
          : createAssetIndex(join(dist, 'client/.vite/manifest.json'), base, template.entry.slice(base.length))
      })
      return async function html(this: FastifyReply, ...page: Parameters<DocumentWriter['writeWhole']>) {
        return this.type('text/html; charset=utf-8').send(await state.documents.writeWhole(...page))
      }
    }
  }
  return { renderer, state }
}
