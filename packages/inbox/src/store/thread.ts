import { WorkerRpc, type Log } from '@hull/common/worker-rpc.ts'
import { InboxUnavailable } from '../errors.ts'
import type { FromWorker, InboxSettings, Question, ToWorker } from './messages.ts'
import { fromPlainError } from '../plain-error.ts'

/** What a thread says that is no answer to a question. */
export type Notice = Exclude<FromWorker, { kind: 'answer' | 'failed' | 'log' }>

/** The thread ended with the question in its hands. */
export class ThreadEnded extends Error {
  override name = 'ThreadEnded'
}

export interface ThreadOptions extends InboxSettings {
  log: Log
  onNotice: (notice: Notice) => void
  /** It ended, and what it had in hand with it. */
  onEnd: () => void
}

/** The worker that writes. */
export class InboxThread {
  readonly #thread: WorkerRpc<FromWorker, ToWorker>

  constructor({ log, onNotice, onEnd, ...settings }: ThreadOptions) {
    this.#thread = new WorkerRpc({
      file: new URL('./worker.ts', import.meta.url),
      title: "the inbox's thread",
      name: 'inbox',
      workerData: settings satisfies InboxSettings,
      log,
      createError: (ended) => new InboxUnavailable(ended ? { cause: new ThreadEnded() } : {}),
      onTold(told) {
        if (told.kind === 'failed') return { number: told.number, error: fromPlainError(told.error) }
        onNotice(told)
        return undefined
      },
      onEnd
    })
  }

  /**
   * @throws InboxUnavailable where the file cannot be used; because of a {@link ThreadEnded} where that is why
   * @throws whatever the change does
   */
  ask(question: Question, transfer?: ArrayBuffer[]): Promise<unknown> {
    return this.#thread.ask((number) => ({ kind: 'ask', number, question }), transfer)
  }

  /** Whether it is there, and answered within the limit. */
  get answers(): boolean {
    return this.#thread.answers
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}
