import { WorkerRpc, type Log } from '@hull/common/worker-rpc.ts'
import { SpoolUnavailable } from '../errors.ts'
import type { FromWorker, Questions, ToWorker, WorkerSettings } from './spool-messages.ts'

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
  /** Worker file. @default the spool's own */
  threadFile?: URL
  /** Milliseconds without an answer after which a busy thread counts as silent. @default 30_000 */
  answerTimeout?: number
}

/** Connection to the spool's worker thread. */
export class SpoolThread {
  readonly #thread: WorkerRpc<FromWorker, ToWorker>
  /** Number of unanswered batches. */
  #batches = 0

  constructor(options: ThreadOptions) {
    const { file, maxBytes, maxFileBytes, checkInterval, firstId, log, onNotice, onStart, onEnd } = options
    this.#thread = new WorkerRpc({
      file: options.threadFile ?? new URL('./spool-worker.ts', import.meta.url),
      answerTimeout: options.answerTimeout,
      onSilence: options.onSilence,
      title: "the spool's thread",
      name: 'spool',
      workerData: { file, maxBytes, maxFileBytes, checkInterval, firstId } satisfies WorkerSettings,
      log,
      createError: () => new SpoolUnavailable(),
      onMessage: (message) => {
        if (message.kind === 'failed' && message.number !== undefined)
          return { number: message.number, error: new SpoolUnavailable({ cause: new Error(message.reason) }) }
        if (message.kind !== 'state') this.#batches--
        onNotice(message)
        return undefined
      },
      onStart,
      onEnd: () => {
        this.#batches = 0
        onEnd()
      },
      isBusy: () => this.#batches > 0
    })
  }

  get alive(): boolean {
    return this.#thread.alive
  }

  post(message: ToWorker, transfer?: ArrayBuffer[]): void {
    if (message.kind === 'batch') this.#batches++
    this.#thread.post(message, transfer)
  }

  /** @throws SpoolUnavailable */
  ask<Kind extends keyof Questions>(question: Questions[Kind]['question']): Promise<Questions[Kind]['answer']> {
    const answer = this.#thread.ask((number) => ({ kind: 'ask', number, question }))
    return answer as Promise<Questions[Kind]['answer']>
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}
