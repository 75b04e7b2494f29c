import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { ReactElement } from 'react'
import type { View } from '../client/view/view.tsx'
import { PAYLOAD_ID, type DeferredValue } from '../routing/payload.ts'
import { nonceTag } from '../routing/nonce.ts'
import type { PageAssets } from './assets.ts'
import type { BrowserTags } from './browser-tags.ts'
import type { Deadline } from './deadline.ts'
import { renderHead, withAttributes } from './head.ts'
import { DeferredValues, type DeferredOptions } from './deferred-values.ts'
import { inspectData } from './inspect-data.ts'
import { encodePayload, escapeScript, type EncodedPayload } from './payload.ts'
import { renderStream } from './render-stream.ts'
import { renderAtOnce, renderBuffered, type ReactRenderers } from './render-tree.ts'
import type { Template } from './template.ts'

/** A document to render. */
export interface PageDocument extends DeferredOptions {
  view: View
  /** Source files whose chunks the document needs. */
  sources: string[]
  /** True if the payload's data is a plain tree. */
  plain: boolean
  /** False for a page without script and payload. */
  script: boolean
  /**
   * Omits the browser tags and the trace.
   * @default false
   */
  unreported?: boolean
  /** Returns a nonce for components, and allows it in the answer's policy. @throws CachePrivate if `isShared` */
  nonce: () => string
  /**
   * True if the document is rendered once for all visitors.
   * @default false
   */
  isShared?: boolean
  /**
   * Markup for the head from subscribers; only in documents with script for one visitor.
   * @default none
   */
  extraHead?: string
}

export interface DocumentWriterOptions {
  template: Template
  /** Attributes of the entry's script. */
  entryAttributes: string
  assetsOf: (sources: string[]) => PageAssets
  createRoot: (view: View) => ReactElement
  suspendRoot: (root: ReactElement, until: Promise<void>) => ReactElement
  react: ReactRenderers
  /** Tags of documents with script. */
  browserTags: BrowserTags
}

export type DocumentWriter = ReturnType<typeof createDocumentWriter>

/** Sources whose tree suspended once: trying to render them synchronously would waste time. */
const suspending = new WeakSet<string[]>()

/** Writes documents from a template. */
export function createDocumentWriter(options: DocumentWriterOptions) {
  const { template, entryAttributes, assetsOf, createRoot, suspendRoot, react, browserTags } = options
  return {
    /** Addresses of the stylesheets of every page. */
    stylesheets: template.stylesheets,

    /**
     * Returns the whole document. It has a nonce only if a component asks for one.
     * @param viteNonce nonce for the tags that Vite adds in development
     * @throws the first error, outcome or redirect of any component
     */
    async writeWhole(document: PageDocument, viteNonce = ''): Promise<string> {
      const { view, script } = document
      const used = { nonce: viteNonce }
      view.nonce = createUseNonce(document, used)
      const deferred = new DeferredValues(document)
      let payload = script ? encodePayload(view.payload, document.plain, deferred) : undefined
      const lines: DeferredValue[] = []
      const follow = () => deferred.follow((value) => lines.push(value))
      if (deferred.size > 0) await follow()
      const markup = allowFormReplay(await renderRoot(document), document)
      const { state } = view.payload
      // A component may have changed the state while it rendered.
      if (payload && state) {
        const { size } = deferred
        payload = encodePayload(view.payload, document.plain && inspectData(state), deferred)
        if (deferred.size > size) await follow()
      }
      return (
        openDocument(document, used.nonce) +
        '<div id="root">' +
        markup +
        '</div>' +
        (payload ? payloadElement(payload, lines) + entryScript(used.nonce) : '') +
        template.close(used.nonce)
      )
    },

    /**
     * Returns the document as a stream that begins with its shell.
     * @throws errors from before the shell is ready
     */
    writeStream(document: PageDocument, nonce: string): Promise<Readable> {
      const { view, deadline, report } = document
      const deferred = new DeferredValues(document)
      const payload = encodePayload(view.payload, document.plain, deferred)
      view.nonce = () => nonce
      return renderStream(react, suspendRoot(createRoot(view), nextTurn()), {
        nonce,
        deadline,
        report,
        deferred,
        before: openDocument(document, nonce) + payloadElement(payload, []) + '<div id="root">',
        afterShell: entryScript(nonce, 'async'),
        close: template.close(nonce)
      })
    }
  }

  function renderRoot({ view, sources, deadline }: PageDocument): string | Promise<string> {
    const root = createRoot(view)
    const markup = suspending.has(sources) ? undefined : renderAtOnce(react, root)
    return markup ?? renderSuspending(root, sources, deadline)
  }

  /** A page that failed need not be one that suspends. */
  async function renderSuspending(root: ReactElement, sources: string[], deadline: Deadline): Promise<string> {
    const markup = await renderBuffered(react, suspendRoot(root, nextTurn()), deadline)
    suspending.add(sources)
    return markup
  }

  function openDocument({ view, sources, script, unreported, extraHead = '' }: PageDocument, nonce: string): string {
    const { styles, modules } = assetsOf(sources)
    const tags = script && !unreported ? browserTags : undefined
    const { meta } = view.payload
    const head = template.head(nonce, tags?.first)
    const body = template.body(nonce)
    return (
      (meta.html ? withAttributes(head, 'html', meta.html) : head) +
      styles +
      (script ? modules : '') +
      (script && !unreported ? extraHead : '') +
      (tags?.data ?? '') +
      (nonce && !template.hasNonceTag ? nonceTag(nonce) : '') +
      renderHead(meta) +
      (meta.body ? withAttributes(body, 'body', meta.body) : body)
    )
  }

  function entryScript(nonce: string, timing = '') {
    return `<script type="module" src="${template.entry}"${entryAttributes}${timing && ` ${timing}`}${nonce && ` nonce="${nonce}"`}></script>`
  }
}

/**
 * Returns the function that creates the nonce and remembers it. Inside `writeWhole`, it would keep every request's
 * objects until a full garbage collection.
 * @see docs/decisions/064-objects-that-survive-a-request.md
 */
function createUseNonce({ nonce }: PageDocument, used: { nonce: string }): () => string {
  return function useNonce() {
    return (used.nonce = nonce())
  }
}

/**
 * Resolves after React has started. Before, React retries suspended components in microtasks, so a component that
 * suspends repeatedly would block every timer, including RENDER_TIMEOUT. Afterwards, React retries once per turn of the
 * event loop.
 */
async function nextTurn(): Promise<void> {
  await setImmediate()
  await setImmediate()
}

/**
 * Script that React adds at the end of markup with a form whose `action` is a function. It keeps what a visitor submits
 * before the page is hydrated.
 */
const FORM_REPLAY = /<script>(addEventListener\("submit"[^<]*<\/script>)$/

/** Gives React's script a nonce, or removes it from a document that has no script or cannot have a nonce. */
function allowFormReplay(markup: string, { view, script, isShared = false }: PageDocument): string {
  if (!markup.endsWith('</script>')) return markup
  return markup.replace(FORM_REPLAY, (_script, rest: string) =>
    script && !isShared ? `<script nonce="${view.nonce!()}">${rest}` : ''
  )
}

/** JSON, not script, so it needs no nonce. */
function payloadElement({ codec, text }: EncodedPayload, lines: DeferredValue[]): string {
  const source = [text, ...lines.map((line) => JSON.stringify(line))].join('\n')
  return `<script type="application/json" id="${PAYLOAD_ID}" data-codec="${codec}">${escapeScript(source)}</script>`
}
