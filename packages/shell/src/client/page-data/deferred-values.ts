import { STREAM_WATCHDOG_SLACK } from '@hull/common/constants.ts'
import { DEFERRED_QUEUE, type DeferredValue } from '../../routing/payload.ts'
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
     * Stops a document whose stream was cut; otherwise it would load forever, with its pending parts waiting. Over a slow
     * connection, parts may still arrive after the deadline.
     * @param deadline milliseconds after which the server ends the stream
     */
    watch(deadline: number) {
      if (document.readyState !== 'loading') return
      let timer = setTimeout(check, deadline - performance.now())
      let received = -1
      function check() {
        const before = received
        received = lengthAfterRoot()
        if (received !== before) {
          timer = setTimeout(check, STREAM_WATCHDOG_SLACK)
          return
        }
        window.stop()
        values.abandon()
        // React retries pending boundaries on this event, which a stopped document never fires.
        document.dispatchEvent(new Event('DOMContentLoaded'))
      }
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

/** Characters of the body outside of the root, where late parts arrive. */
function lengthAfterRoot(): number {
  const { body } = document
  return body.innerHTML.length - body.querySelector('#root')!.innerHTML.length
}
