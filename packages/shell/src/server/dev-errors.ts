import { stripVTControlCharacters } from 'node:util'
import type { FastifyBaseLogger } from 'fastify'
import type { NormalizedHotChannelClient, ViteDevServer } from 'vite'
import { ERRORS, type ErrorMessage } from '@hull/common/channels.ts'
import { isErrorCode } from '@hull/common/is-error-code.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'
import { BROWSER_ERROR_EVENT, CHANGE_EVENT, OVERLAY_EVENT, SERVER_ERROR_EVENT } from '@hull/common/constants.ts'
import { escapeHtml } from '../routing/escape-html.ts'
import { nonceTag } from '../routing/nonce.ts'
import { mapBrowserStack } from './browser-stack.ts'
import { renderError, toOverlayError } from './render-error.ts'

/** An error as packages/shell/src/build/development/overlay-plugin.ts sends it. */
interface SentError {
  name?: string
  message?: string
  stack?: string
  cause?: SentError | string
}

interface Report {
  error: SentError | string
  componentStack?: string | null
  /** Path of the page. */
  pathname: string
}

/** Errors of the server to keep for the overlay. A guess. */
const MAX_ERRORS = 50

export interface DevErrorsOptions {
  /** The project's folder. */
  root: string
  /** Undefined if Vite could not start. */
  vite: Pick<ViteDevServer, 'environments' | 'watcher'> | undefined
  log: FastifyBaseLogger
}

export type DevErrors = ReturnType<typeof createDevErrors>

/** Shows errors of the server and of the browser in the terminal, and in the overlay of Vite, for a developer. */
export function createDevErrors({ root, vite, log }: DevErrorsOptions) {
  const recent = new Map<string, { error: unknown; at: number }>()
  let changedAt = 0
  const hot = vite?.environments.client.hot
  ERRORS.subscribe(onServerError)
  vite?.watcher.on('all', safeCallback(onChange))
  hot?.on(BROWSER_ERROR_EVENT, safeCallback(onBrowserError))
  hot?.on(SERVER_ERROR_EVENT, safeCallback(showServerError))
  return { toMarkup, close }

  /** Prints an error after its line in the log. */
  function onServerError(message: unknown) {
    const { error: thrown, digest } = message as ErrorMessage
    // The cause has the place.
    const error = isErrorCode(thrown, 'APP_PAGE_UNLOADABLE') ? (thrown as Error).cause : thrown
    recent.set(digest, { error, at: performance.now() })
    if (recent.size > MAX_ERRORS) recent.delete(recent.keys().next().value!)
    print(() => renderError(root, error))
  }

  function onChange() {
    changedAt = performance.now()
  }

  async function onBrowserError({ error, componentStack, pathname }: Report, tab: NormalizedHotChannelClient) {
    try {
      const mapped = await mapError(error, componentStack)
      print(() => `Error in the browser, on ${stripVTControlCharacters(`${pathname}\n${renderError(root, mapped)}`)}`)
      tab.send(OVERLAY_EVENT, toOverlayError(root, mapped))
    } catch (err) {
      log.warn({ err }, 'an error of the browser could not be shown with its source')
    }
  }

  function showServerError(digest: string, tab: NormalizedHotChannelClient) {
    const known = recent.get(digest)
    // A file may have been corrected before the tab was connected, or the server has restarted.
    if (!known || changedAt > known.at) tab.send(CHANGE_EVENT)
    else tab.send(OVERLAY_EVENT, toOverlayError(root, known.error))
  }

  /** @param componentStack replaces a stack without frames of the application, such as that of a failed hydration */
  async function mapError(error: SentError | string, componentStack?: string | null): Promise<unknown> {
    if (typeof error === 'string') return error
    const { client } = vite!.environments
    const stack = await mapBrowserStack(client, `${error.stack ?? ''}${componentStack ?? ''}`)
    return { ...error, stack, cause: error.cause && (await mapError(error.cause)) }
  }

  function print(render: () => string) {
    try {
      process.stderr.write(`${render()}\n`)
    } catch (err) {
      log.warn({ err }, 'an error could not be shown with its source')
    }
  }

  /** Returns markup for the end of an error document: the overlay, and the error as text without JavaScript. */
  function toMarkup(digest: string, nonce: string): string {
    const error = recent.get(digest)?.error
    return `${nonceTag(nonce)}<noscript><pre>${escapeHtml(renderError(root, error))}</pre></noscript>
<script type="module" nonce="${nonce}">import { createHotContext } from '/@vite/client'
createHotContext('/error').on('${CHANGE_EVENT}', () => location.reload())
dispatchEvent(new CustomEvent('${SERVER_ERROR_EVENT}', { detail: '${digest}' }))</script>
`
  }

  function close() {
    ERRORS.unsubscribe(onServerError)
  }
}
