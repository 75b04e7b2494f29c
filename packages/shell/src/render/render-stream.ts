import { PassThrough, type Readable } from 'node:stream'
import type { ReactNode } from 'react'
import { isClientGone } from '@hull/common/client-gone.ts'
import { isOutcome, isRedirect } from '@hull/common/outcomes.ts'
import { DEFERRED_QUEUE, type DeferredValue } from '../routing/payload.ts'
import type { Deadline } from './deadline.ts'
import type { DeferredValues } from './deferred-values.ts'
import { escapeScript } from './payload.ts'
import { createSink, type ReactRenderers } from './render-tree.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'

export interface StreamOptions {
  nonce: string
  /** Everything up to and including the root's opening tag. */
  before: string
  /** Follows the root at once: the entry script. */
  afterShell: string
  /** The end of the document. */
  close: string
  /** Promises in the data, sent when they settle. */
  deferred: DeferredValues
  deadline: Deadline
  /** Reports an error and returns its digest. */
  report: (error: unknown) => string
}

/** Bytes buffered for a slow reader before React is asked to pause. */
const HIGH_WATER_MARK = 64 * 1024

/**
 * Renders a document as a stream: the shell at once, the rest and the late data when they are ready.
 * @returns the stream, when its shell is ready
 * @throws errors from before, when the answer's status can still change
 */
export function renderStream(
  react: ReactRenderers,
  tree: ReactNode,
  { nonce, before, afterShell, close, deferred, deadline, report }: StreamOptions
): Promise<Readable> {
  return new Promise((resolve, reject) => {
    const { signal } = deadline
    let failure: { error: unknown } | undefined
    let flowing = false

    const onAbort = safeCallback(() => {
      if (!flowing) reject(signal.reason as Error)
      stream.abort(signal.reason)
    })
    const stream = react.renderToPipeableStream(tree, {
      nonce,
      onError(error) {
        if (!flowing) failure ??= { error }
        if (!flowing || isClientGone(error)) return undefined
        // Always a digest: the browser reports errors that have none.
        return isOutcome(error) || isRedirect(error) ? error.name : report(error)
      },
      onShellError(error) {
        signal.removeEventListener('abort', onAbort)
        reject(error as Error)
      },
      onShellReady() {
        if (signal.aborted) return
        if (failure) {
          // The error is below a boundary, but nothing is sent yet.
          signal.removeEventListener('abort', onAbort)
          reject(failure.error as Error)
          return stream.abort()
        }
        flowing = true
        resolve(flow())
      }
    })
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })

    function flow(): Readable {
      const out = new PassThrough({ highWaterMark: HIGH_WATER_MARK })
      let queue: Buffer[] = [Buffer.from(before)]
      /** Scripts of late values that have settled before the shell. */
      const early: Buffer[] = []
      let hasMarkup = false
      let shellSent = false
      // React writes views of 2 KB; each flush sends them in one write.
      const flush = () => {
        if (queue.length > 0 && out.writable) out.write(queue.length === 1 ? queue[0] : Buffer.concat(queue))
        queue = []
      }
      const deferredDone = deferred.follow((value) => {
        ;(shellSent ? queue : early).push(Buffer.from(deferredScript(value, nonce)))
        if (shellSent) flush()
      })

      stream.pipe(
        createSink({
          write(chunk) {
            hasMarkup = true
            queue.push(Buffer.from(chunk))
            return !out.writableNeedDrain
          },
          flush() {
            // React also flushes before the shell, while a boundary that is not inside an element is pending.
            if (hasMarkup && !shellSent) {
              shellSent = true
              queue.push(Buffer.from('</div>' + afterShell), ...early)
            }
            flush()
          },
          onDrain(resume) {
            out.on('drain', safeCallback(resume))
          },
          destroy(error) {
            out.destroy(error)
          },
          end() {
            void deferredDone.then(() => {
              signal.removeEventListener('abort', onAbort)
              deadline.stop()
              queue.push(Buffer.from(close))
              flush()
              out.end()
            })
          }
        })
      )
      return out
    }
  })
}

/**
 * Returns a script that passes a late value to the browser's bundle, or queues it. Both strings are JSON inside a
 * script.
 */
function deferredScript(value: DeferredValue, nonce: string): string {
  return `<script nonce="${nonce}">(self.${DEFERRED_QUEUE}=self.${DEFERRED_QUEUE}||[]).push(${escapeScript(JSON.stringify(value))})</script>`
}
