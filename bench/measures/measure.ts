import type { LoadGenerator } from '../load-generator.ts'
import type { ContenderName, Options } from '../options.ts'
import type { Provider } from '../provider.ts'
import type { Built, Server } from '../servers.ts'

/** Input of a measure. */
export interface Bench {
  options: Options
  built: Built[]
  /** Everybody, warm or not, with the trees compared; the floor first. */
  servers: Server[]
  load: LoadGenerator
  /** Takes what contenders report. */
  provider: Provider
  /** The core the servers share; undefined when they are not pinned. */
  serverCore?: number
  /** The other one, for whoever asks. */
  loadCore?: number
  /** Both, as `taskset` lists them, for a server with threads; undefined when processes are not pinned. */
  bothCores?: string
  /** Says how far it is. */
  say: (line: string) => void
}

/** Samples of one quantity, the smaller the better. */
export interface Measurement {
  /** Key in `targets.ts`. */
  id: string
  label: string
  /** Of the samples in `--json`; the report shows ratios only. */
  unit: string
  /** The nth samples of any two were taken side by side. */
  samples: Partial<Record<ContenderName, number[]>>
}

export type Measure = (bench: Bench) => Promise<Measurement[]>
