import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Collects the garbage of this thread and returns its memory to the system, for the end of a start: what loading modules
 * leaves is an eighth of an idle server's memory, and V8 itself collects it only when it needs the memory. Blocks the
 * thread for 60 ms on a slow machine.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  // The flag is that of all threads: another one may have taken it back already, and this collection is left out.
  const collect = runInNewContext('globalThis.gc') as NodeJS.GCFunction | undefined
  // V8 accepts cached code only with the flags that it was compiled with.
  setFlagsFromString('--no-expose-gc')
  collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
