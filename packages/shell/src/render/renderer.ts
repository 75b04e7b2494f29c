import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ReactRoute } from '@fastify/react/server'
import type { FastifyReply } from 'fastify'
import type { ClientEntry } from '../client/entry/index.ts'
import { createAssetIndex } from './assets.ts'
import { renderBrowserTags, type BrowserTagsOptions } from './browser-tags.ts'
import { createDocumentWriter, type DocumentWriter } from './document.ts'
import { createSite, type Site } from './site.ts'
import { parseTemplate } from './template.ts'

/** What the renderer keeps up to date: made once, or anew after every change in development. */
export interface RendererState {
  site: Site
  documents: DocumentWriter
  /** @fastify/react's routes, as they were at the start. */
  routes: ReactRoute[]
}

export interface RendererOptions extends BrowserTagsOptions {
  dev: boolean
  /** The folder a build wrote. */
  dist: string
}

export type Renderer = Awaited<ReturnType<typeof createRenderer>>['renderer']

/** Parts of @fastify/vite's runtime configuration that are used here. */
interface RuntimeConfig {
  viteConfig: { base: string }
}

const ENTRY = '/$app/mount.ts'

/**
 * The renderer of @fastify/react, with the functions replaced that docs/decisions/043 lists. In development @fastify/vite
 * calls it, in production plugins/pages/production.ts.
 * Its routes, made by `createRoutes` in packages/shell/src/client/entry/index.ts, are registered by the pages plugin, so that a page and its
 * data share one route, one guard and one order of precedence.
 * @see docs/decisions/043-fastify-react-is-registered.md
 */
export async function createRenderer({ dev, dist, inlineScripts, browserData }: RendererOptions) {
  const state = { routes: [] as ReactRoute[] } as RendererState
  const fastifyReact = dev ? await import('@fastify/react') : (await loadEntry(dist)).fastifyReact
  let pages: ClientEntry['pages'] | undefined

  const renderer = {
    ...fastifyReact,

    // Stock adds two hooks and a Map to every request, for useServerAction.
    prepareServer() {},

    async prepareClient(entries: { ssr: ClientEntry }) {
      const client = await fastifyReact.prepareClient(entries)
      if (client.pages !== pages) state.site = createSite(client)
      pages = client.pages
      return client
    },

    // Stock writes the document itself; here the pages plugin does, with the page's deadline and status.
    createRenderFunction: undefined,

    // Stock answers 500 with an empty body; here packages/shell/src/plugins/fallbacks.ts answers.
    createErrorHandler() {},

    createRouteHandler() {},

    // Stock registers the page and its data apart, each with hooks of its own, and for PUT and DELETE too.
    createRoute({ route }: { route: ReactRoute }) {
      state.routes.push(route)
    },

    // Stock writes inline scripts without a nonce, and the whole route table, into every document.
    createHtmlFunction(source: string, _scope: unknown, { viteConfig: { base } }: RuntimeConfig) {
      const template = parseTemplate(source, ENTRY)
      state.documents = createDocumentWriter({
        template,
        browserTags: renderBrowserTags({ inlineScripts, browserData }),
        createRoot: (view) => state.site.entry.createRoot(view),
        holdRoot: (root, until) => state.site.entry.holdRoot(root, until),
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

/** The server's half of a build. It has @fastify/react beside the pages: one React, and none of what development needs. */
export async function loadEntry(dist: string): Promise<ClientEntry> {
  const { default: entry } = (await import(pathToFileURL(join(dist, 'server/index.js')).href)) as {
    default: ClientEntry
  }
  return entry
}
