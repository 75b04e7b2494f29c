import type { LoadGenerator } from '../load-generator.ts'
import type { ContenderName, Options } from '../options.ts'
import type { Provider } from '../provider.ts'
import type { Built, Server } from '../servers.ts'

/** Input of a measure. */
export interface Bench {
  options: Options
  built: Built[]
  /** All contenders, running but not warmed up, with equal trees; the floor first. */
  servers: Server[]
  load: LoadGenerator
  /** Receives the envelopes of the contenders. */
  provider: Provider
  /** Core of the servers; undefined if processes are not pinned. */
  serverCore?: number
  /** Core of the load generator, the provider and this process; undefined if processes are not pinned. */
  loadCore?: number
  /** Both cores in the syntax of `taskset`, for a server with threads; undefined if processes are not pinned. */
  bothCores?: string
  /** Prints the progress. */
  say: (line: string) => void
}

/** Samples of one quantity, for which smaller is better. */
export interface Measurement {
  /** Key in `targets.ts`. */
  id: string
  label: string
  /** Unit of the samples. */
  unit: string
  /** The nth samples of any two were taken side by side. */
  samples: Partial<Record<ContenderName, number[]>>
}

export type Measure = (bench: Bench) => Promise<Measurement[]>
