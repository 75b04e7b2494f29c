import { readMemory } from '../processes.ts'
import type { Bench, Measurement } from './measure.ts'

/** Resident memory after the load: run it after the CPU. */
export async function measureMemory ({ servers }: Bench): Promise<Measurement[]> {
  return [{
    id: 'memory',
    label: 'memory after load',
    unit: 'bytes',
    samples: Object.fromEntries(servers.map((server) => [server.name, [readMemory(server.pid)]]))
  }]
}
