import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ReactRoute } from '@fastify/react/server'
import type { ClientEntry } from '../client/entry/index.ts'
import { createAssetIndex } from './assets.ts'
import { addIntegrity, createAssetAttributes } from './integrity.ts'
import { renderBrowserTags, type BrowserTagsOptions } from './browser-tags.ts'
import { createDocumentWriter, type DocumentWriter } from './document.ts'
import type { DevErrors } from '../server/dev-errors.ts'
import { createSite, type Site } from './site.ts'
import { parseTemplate } from './template.ts'

/** Objects that the renderer creates once, and in development again after every change. */
export interface RendererState {
  site: Site
  documents: DocumentWriter
  /** Routes of @fastify/react at the start. */
  routes: ReactRoute[]
  /** In development only. */
  devErrors?: DevErrors
  /** Error because of which no page can be loaded, in development. */
  loadError?: unknown
}

export interface RendererOptions extends BrowserTagsOptions {
  dev: boolean
  /** Output folder of the build. */
  dist: string
}

export type Renderer = Awaited<ReturnType<typeof createRenderer>>['renderer']

/** The part of @fastify/vite's runtime configuration that is used here. */
interface RuntimeConfig {
  viteConfig: { base: string }
}

const ENTRY = '/$app/mount.ts'

/**
 * Creates the renderer of @fastify/react, with the replaced functions that docs/decisions/043 lists. @fastify/vite
 * calls it in development, packages/shell/src/plugins/pages/production.ts in production. The pages plugin registers its
 * routes, which `createRoutes` in packages/shell/src/client/entry/index.ts creates, so that a page and its data share
 * one route, one guard and one order of precedence.
 * @see docs/decisions/043-fastify-react-is-registered.md
 */
export async function createRenderer({ dev, dist, inlineScripts, browserData }: RendererOptions) {
  const state = { routes: [] as ReactRoute[] } as RendererState
  const fastifyReact = dev ? await import('@fastify/react') : (await loadEntry(dist)).fastifyReact
  let pages: ClientEntry['pages'] | undefined

  const renderer = {
    ...fastifyReact,

    // The original adds two hooks and a Map to every request, for useServerAction.
    prepareServer() {},

    async prepareClient(entries: { ssr: ClientEntry }) {
      const client = await fastifyReact.prepareClient(entries)
      if (client.pages !== pages) state.site = createSite(client)
      pages = client.pages
      return client
    },

    // The original writes the document; here the pages plugin does, with the page's deadline and status.
    createRenderFunction: undefined,

    // The original answers 500 with an empty body; here packages/shell/src/plugins/fallbacks.ts answers.
    createErrorHandler() {},

    createRouteHandler() {},

    // The original registers the page and its data separately, each with its own hooks, also for PUT and DELETE.
    createRoute({ route }: { route: ReactRoute }) {
      state.routes.push(route)
    },

    // The original writes inline scripts without a nonce and the whole route table into every document. The pages plugin
    // writes documents; there is no `reply.html`.
    createHtmlFunction(source: string, _scope: unknown, { viteConfig: { base } }: RuntimeConfig) {
      const client = join(dist, 'client')
      const attributesOf = createAssetAttributes(client, base)
      const template = parseTemplate(addIntegrity(source, base, attributesOf), ENTRY)
      const entryFile = template.entry.slice(base.length)
      state.documents = createDocumentWriter({
        template,
        entryAttributes: dev ? '' : attributesOf(entryFile),
        browserTags: renderBrowserTags({ inlineScripts, browserData }),
        createRoot: (view) => state.site.entry.createRoot(view),
        suspendRoot: (root, until) => state.site.entry.suspendRoot(root, until),
        react: state.site.entry.react,
        assetsOf: dev
          ? () => ({ styles: '', modules: '' })
          : createAssetIndex({ manifestFile: join(client, '.vite/manifest.json'), base, entryFile, attributesOf })
      })
    }
  }
  return { renderer, state }
}

/**
 * Loads the server's half of a build. It includes @fastify/react: React exists once, and development tools are not
 * needed.
 */
export async function loadEntry(dist: string): Promise<ClientEntry> {
  const { default: entry } = (await import(pathToFileURL(join(dist, 'server/index.js')).href)) as {
    default: ClientEntry
  }
  return entry
}
