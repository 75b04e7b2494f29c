export interface Cycle {
  name: string
  self: Cycle
}

/**
 * One value of each kind that JSON cannot represent, and text that would close a script element if it were not escaped.
 */
export function createEverything() {
  const twin = { name: 'one object, referred to twice' }
  const cycle = { name: 'an object that holds itself' } as Cycle
  cycle.self = cycle
  return {
    date: new Date('2026-02-28T12:34:56.789Z'),
    map: new Map<string, number>([
      ['port', 1],
      ['starboard', 2]
    ]),
    set: new Set(['red', 'green', 'white']),
    bigint: 2n ** 80n,
    absent: undefined,
    cycle,
    twins: [twin, twin] as const,
    text: '</script><!-- <script> \u2028 ${x} &amp;'
  }
}
