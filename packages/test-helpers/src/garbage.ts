import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Runs a full collection, so that what memory is used for can be told from what it was used for. */
export const collectGarbage = runInNewContext('gc') as () => void
