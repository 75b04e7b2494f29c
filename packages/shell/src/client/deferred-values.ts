import { STREAM_WATCHDOG_SLACK } from '@hull/common/constants.ts'
import { DEFERRED_QUEUE, type DeferredValue } from '../routing/payload.ts'
import { ReceivedValues } from './payload.ts'

/**
 * Replaces the queue into which a streaming document pushes its late values, and reads the values that are already
 * there.
 */
export function receiveDeferredValues() {
  const values = new ReceivedValues()
  const scope = self as unknown as { [DEFERRED_QUEUE]?: { push: (value: DeferredValue) => unknown } }
  const early = scope[DEFERRED_QUEUE] as DeferredValue[] | undefined
  scope[DEFERRED_QUEUE] = { push: values.settle }
  early?.forEach(values.settle)

  return {
    values,

    /**
     * Stops a document whose stream was cut; otherwise it would load forever, with its pending parts waiting.
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
