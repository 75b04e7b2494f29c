import t from 'tap'
import { toView, withView } from '../../src/web/view.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const HOUR = 3_600_000
const view = (query: string) => toView(new URLSearchParams(query), NOW)

t.test('an address without parameters shows the last 24 hours of everything', async (t) => {
  t.strictSame(view(''), { since: NOW - 24 * HOUR, until: NOW, range: '24h' })
})

t.test('an address selects project, environment, release and time range', async (t) => {
  t.strictSame(view('project=2&environment=staging&release=1.4.2&range=7d'), {
    since: NOW - 168 * HOUR,
    until: NOW,
    range: '7d',
    project: 2,
    environment: 'staging',
    release: '1.4.2'
  })
  t.strictSame(view('since=2026-11-20T09:00&until=2026-11-20T12:30'), {
    since: Date.parse('2026-11-20T09:00Z'),
    until: Date.parse('2026-11-20T12:30Z'),
    range: 'custom'
  })
  t.same(view('since=2026-11-20T12:30&until=2026-11-20T09:00'), view('since=2026-11-20T09:00&until=2026-11-20T12:30'))
  t.equal(view('since=2026-11-20T09:00').until, NOW, 'ends now')
})

t.test('ignores invalid parameters', async (t) => {
  for (const query of [
    'range=__proto__',
    'range=constructor',
    'range=5y',
    'project=0',
    'project=1e3',
    'project=-1',
    'project=99999999999',
    'environment=',
    `release=${'x'.repeat(251)}`,
    'since=yesterday',
    'since=2026-11-22T00:00',
    'since=2026-11-20T09:00&until=2026-11-20T09:00',
    'since=2026-02-31T25:00',
    'since=%00'
  ])
    t.strictSame(view(query), view(''), query)
})

t.test('limits the range to the longest retention', async (t) => {
  const { since, until } = view('since=1970-01-01&until=2100-01-01')
  t.ok(until - since <= 400 * 24 * HOUR)
})

t.test('a link to another view keeps the other parameters of the address', async (t) => {
  t.equal(withView('/inbox/issues?q=a+b&cursor=9&range=7d#top', view('')), '/inbox/issues?q=a+b#top')
  t.equal(withView('/inbox', view('project=2&range=7d')), '/inbox?project=2&range=7d')
  const custom = 'since=2026-11-20T09%3A00&until=2026-11-20T12%3A30'
  t.equal(withView('/inbox', view(custom)), `/inbox?${custom}`)
})

t.test('an address made from a view is parsed to the same view', async (t) => {
  for (const query of ['', 'range=1h', 'project=3&environment=a%26b&release=1%2B2', 'since=2026-11-20T09:00'])
    t.strictSame(view(withView('/', view(query)).slice(2)), view(query), query)
})
