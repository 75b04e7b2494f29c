import t from 'tap'
import { parseOptions } from '../../../bench/options.ts'

t.test('parseOptions', async (t) => {
  t.test('measures everything of Hull by default', async (t) => {
    t.match(parseOptions([]), {
      contenders: ['floor', 'hull', 'hull-no-inbox'],
      measures: [
        'cpu',
        'link',
        'sampled',
        'growth',
        'scripts',
        'start',
        'memory',
        'navigation',
        'tunnel',
        'tunnel-memory',
        'tracing'
      ]
    })
  })
  t.test('takes contenders and measures by name, and sorts them in its own order', async (t) => {
    t.match(parseOptions(['--only', 'next', '--measure', 'navigation,scripts']), {
      contenders: ['floor', 'next'],
      measures: ['scripts', 'navigation']
    })
  })
  t.test('uses short turns for a quick run, except for options that are given', async (t) => {
    t.match(parseOptions(['--quick', '--rounds', '2']), { rounds: 2, seconds: 0.5, starts: 1, warmUp: 0.5, load: 2 })
    t.match(parseOptions(['--peers']), { rounds: 7, seconds: 1.5, starts: 5, warmUp: 5, load: 60 })
    t.equal(parseOptions(['--peers'])?.contenders.length, 8)
  })
  t.test('names an unknown or invalid value in its error', async (t) => {
    t.throws(() => parseOptions(['--measure', 'cpu,speed']), /--measure takes cpu, .*; it was given "speed"/)
    t.throws(() => parseOptions(['--only', 'astro']), /--only takes floor, .*; it was given "astro"/)
    t.throws(() => parseOptions(['--rounds', '0']), /--rounds takes a number from 1 to 100/)
  })
})
