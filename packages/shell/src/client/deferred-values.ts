import { STREAM_WATCHDOG_SLACK } from '@hull/common/constants.ts'
import { DEFERRED_QUEUE, type DeferredValue } from '../routing/payload.ts'
import { ReceivedValues } from './payload.ts'

/** Takes over the queue into which a streaming document pushes its late values, those already there first. */
export function receiveDeferredValues() {
  const values = new ReceivedValues()
  const scope = self as unknown as { [DEFERRED_QUEUE]?: { push: (value: DeferredValue) => unknown } }
  const early = scope[DEFERRED_QUEUE] as DeferredValue[] | undefined
  scope[DEFERRED_QUEUE] = { push: values.settle }
  early?.forEach(values.settle)

  return {
    values,

    /**
     * Ends a document whose stream was cut: it would load for ever, with its pending parts waiting.
     * @param deadline milliseconds after which the server ends the stream
     */
    watch(deadline: number) {
      if (document.readyState !== 'loading') return
      const timer = setTimeout(
        () => {
          window.stop()
          values.abandon()
          // React retries pending boundaries on this event, which a stopped document never fires.
          document.dispatchEvent(new Event('DOMContentLoaded'))
        },
        deadline + STREAM_WATCHDOG_SLACK - performance.now()
      )
      document.addEventListener(
        'DOMContentLoaded',
        () => {
          clearTimeout(timer)
        },
        { once: true }
      )
    }
  }
}
