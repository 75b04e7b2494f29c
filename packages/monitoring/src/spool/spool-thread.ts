import { WorkerRpc, type Log } from '@hull/common/worker-rpc.ts'
import { SpoolUnavailable } from '../errors.ts'
import type { FromWorker, ToWorker, WorkerSettings } from './spool-messages.ts'

/** Message of the worker that does not answer a question. */
export type Notice = Extract<FromWorker, { kind: 'batch' | 'state' | 'failed' }>

export interface ThreadOptions extends WorkerSettings {
  log: Log
  onNotice: (notice: Notice) => void
  /** Called when the thread has started or restarted. */
  onStart: () => void
  /** Called when the thread has ended and its unanswered messages are lost. */
  onEnd: () => void
  /** Called when the thread is busy and does not answer. */
  onSilence: () => void
  /** Whether a batch is unanswered. */
  isBusy: () => boolean
  /** Worker file. @default the spool's own */
  threadFile?: URL
  /** Milliseconds without an answer after which a busy thread counts as silent. @default 30_000 */
  answerTimeout?: number
}

/** Opens the connection to the spool's worker thread. */
export function openSpoolThread({
  file,
  maxBytes,
  maxFileBytes,
  checkInterval,
  firstId,
  threadFile = new URL('./spool-worker.ts', import.meta.url),
  onNotice,
  ...options
}: ThreadOptions): WorkerRpc<FromWorker, ToWorker> {
  return new WorkerRpc({
    ...options,
    file: threadFile,
    title: "the spool's thread",
    name: 'spool',
    workerData: { file, maxBytes, maxFileBytes, checkInterval, firstId } satisfies WorkerSettings,
    createError: () => new SpoolUnavailable(),
    onMessage(message) {
      if (message.kind === 'failed' && message.number !== undefined)
        return { number: message.number, error: new SpoolUnavailable({ cause: new Error(message.reason) }) }
      onNotice(message)
      return undefined
    }
  })
}
