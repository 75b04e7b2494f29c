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
  t.test('takes peers and measures by name, in an order of its own', async (t) => {
    t.match(parseOptions(['--only', 'next', '--measure', 'navigation,scripts']), {
      contenders: ['floor', 'next'],
      measures: ['scripts', 'navigation']
    })
  })
  t.test('is short for a quick run, but for what is given', async (t) => {
    t.match(parseOptions(['--quick', '--rounds', '2']), { rounds: 2, seconds: 0.5, starts: 1, warmUp: 0.5, load: 2 })
    t.match(parseOptions(['--peers']), { rounds: 7, seconds: 1.5, starts: 5, warmUp: 5, load: 60 })
    t.equal(parseOptions(['--peers'])?.contenders.length, 8)
  })
  t.test('names what it does not know', async (t) => {
    t.throws(() => parseOptions(['--measure', 'cpu,speed']), /--measure takes cpu, .*; it was given "speed"/)
    t.throws(() => parseOptions(['--only', 'astro']), /--only takes floor, .*; it was given "astro"/)
    t.throws(() => parseOptions(['--rounds', '0']), /--rounds takes a number from 1 to 100/)
  })
})
