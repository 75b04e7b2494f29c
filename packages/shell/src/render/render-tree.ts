import type { ReactNode } from 'react'
import type { renderToPipeableStream, renderToString } from 'react-dom/server'
import { isOutcome, isRedirect } from '@hull/common/outcomes.ts'
import type { Deadline } from './deadline.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'

/** Renderers of the copy of React that the pages use. */
export interface ReactRenderers {
  renderToString: typeof renderToString
  renderToPipeableStream: typeof renderToPipeableStream
}

/** Ends of the markers that React writes for suspended and failed boundaries. Shorter texts are found faster. */
const UNFINISHED = ['$?-->', '$!-->']

/**
 * Renders synchronously, at about half the cost of a stream.
 * @returns undefined if a component suspended or failed, so that a stream must wait or report the error
 * @throws an outcome or redirect that a component threw
 */
export function renderAtOnce(react: ReactRenderers, tree: ReactNode): string | undefined {
  try {
    const markup = react.renderToString(tree)
    return UNFINISHED.some((marker) => markup.includes(marker)) ? undefined : markup
  } catch (error) {
    if (isOutcome(error) || isRedirect(error)) throw error
    return undefined
  }
}

/**
 * Renders the whole tree, waiting for everything that suspends.
 * @throws the first error of any component, also below a boundary: nothing has been sent, so the status can still
 * change
 */
export function renderBuffered(react: ReactRenderers, tree: ReactNode, deadline: Deadline): Promise<string> {
  return new Promise((resolve, reject) => {
    const { signal } = deadline
    let hasFailed = false
    const onAbort = safeCallback(() => {
      reject(signal.reason as Error)
      stream.abort(signal.reason)
    })
    const settled = () => {
      signal.removeEventListener('abort', onAbort)
    }

    const stream = react.renderToPipeableStream(tree, {
      // Above 12.8 KB, React would place a boundary elsewhere and move it with an inline script.
      progressiveChunkSize: Infinity,
      onError(error) {
        if (hasFailed) return
        hasFailed = true
        settled()
        reject(error as Error)
        // If React cannot read a thrown value, it calls nothing else. Aborting is not possible inside onError.
        setImmediate(safeCallback(() => stream.abort()))
      },
      onAllReady() {
        settled()
        if (hasFailed) return
        const chunks: Buffer[] = []
        stream.pipe(
          createSink({
            write(chunk) {
              chunks.push(Buffer.from(chunk))
            },
            end() {
              resolve(Buffer.concat(chunks).toString())
            }
          })
        )
      }
    })
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
}

interface SinkHandlers {
  /** Called with each chunk; returning false asks React to wait for `onDrain`. */
  write: (chunk: string | Uint8Array) => unknown
  /** React has written everything for now. */
  flush?: () => void
  end: () => void
  onDrain?: (resume: () => void) => void
  destroy?: (error?: Error) => void
}

/** The part of a Writable that React's renderer uses, without a stream's cost per chunk. */
export function createSink({ write, flush, end, onDrain, destroy }: SinkHandlers): NodeJS.WritableStream {
  const sink = {
    write: (chunk: string | Uint8Array) => write(chunk) !== false,
    flush,
    end,
    destroy,
    on(event: string, listener: () => void) {
      if (event === 'drain') onDrain?.(listener)
      return sink
    }
  }
  return sink as unknown as NodeJS.WritableStream
}
