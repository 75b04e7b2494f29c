import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Runs a full garbage collection, so that only memory in use is measured. */
export const collectGarbage = runInNewContext('gc') as () => void
