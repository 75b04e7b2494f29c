import type { Circumstances } from '../../../bench/circumstances.ts'

/** Circumstances of an invented run. */
export const CIRCUMSTANCES: Circumstances = {
  date: '2026-11-22',
  commit: 'abc1234',
  node: 'v24.21.0',
  kernel: '6.1',
  cpu: 'A processor',
  cores: 2,
  memory: 8 * 1024 ** 3,
  pinned: true,
  rounds: 7,
  seconds: 1.5,
  connections: 32,
  starts: 5,
  warmUp: 3,
  load: 60,
  versions: [{ name: 'next', version: 'next 16.4.5' }]
}
