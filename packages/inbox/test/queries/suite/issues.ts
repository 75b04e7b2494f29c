import type { Test } from 'tap'
import type { IssueListQuery } from '../../../src/queries/issues/issue-types.ts'
import { Scene, type OpenStore } from './scene.ts'

/** Tests the content and the order of the list of issues. */
export async function testIssues(t: Test, open: OpenStore): Promise<void> {
  const { store, queries } = await open(t)
  const scene = new Scene(store)
  scene.writer.project(2, 'Workers', 'b'.repeat(32), scene.now)
  const first = scene.writer.release(1, '1.3.9', scene.now - 20 * 86_400_000)
  const second = scene.writer.release(1, '1.4.0', scene.now - 3 * 86_400_000)
  scene.issue('cart', { value: 'cart is undefined', url: 'https://shop.example/checkout/pay' })
  scene.issue('price', {
    type: 'RangeError',
    value: 'price of größe-12 is "low"',
    level: 'fatal',
    culprit: 'lib/price.ts:toPrice'
  })
  scene.issue('mail', { side: 'server', level: 'warning', culprit: 'lib/mail.ts:send_receipt$' })
  scene.issue('gone')
  scene.issue('quiet')
  scene.issue('worker', { project: 2, side: 'server' })
  const tagged = (version: string, ...tags: [string, string][]) => ({ tags: [['release', version], ...tags] as const })
  scene.event('quiet', { ago: 400, release: first, visitor: 'u9', ...tagged('1.3.9') })
  scene.event('gone', { ago: 300, release: first, visitor: 'u9', browser: 'Firefox 145', ...tagged('1.3.9') })
  scene.event('mail', { ago: 50, release: second, environment: 'staging', route: 'POST /api/mail', ...tagged('1.4.0') })
  scene.event('mail', { ago: 30, release: first, ...tagged('1.3.9') })
  scene.event('price', {
    ago: 20,
    release: second,
    visitor: 'u7',
    browser: 'Chrome 142',
    ...tagged('1.4.0', ['shop', 'red shop'])
  })
  scene.event('price', {
    ago: 12,
    release: second,
    visitor: 'u8',
    browser: 'Chrome 142',
    ...tagged('1.4.0', ['shop', 'red shop'])
  })
  for (const visitor of ['u7', 'u8', 'u8'])
    scene.event('cart', {
      ago: 3.5,
      release: second,
      visitor,
      browser: 'Mobile Safari 19',
      os: 'iOS 19',
      url: 'https://shop.example/checkout/pay',
      route: '/checkout/[step]',
      ...tagged('1.4.0', ['shop', 'blue'])
    })
  scene.event('worker', { ago: 1 })
  scene.done()
  scene.change('gone', { state: 'resolved', changed: scene.now })
  scene.change('mail', { state: 'regressed', changed: scene.now })
  scene.change('quiet', { state: 'ignored', changed: scene.now })

  const list = async (query: Partial<IssueListQuery>) =>
    scene.namesOf((await queries.listIssues({ view: scene.view(), ...query })).issues)

  t.test('a list without a search has the unresolved issues, most recently seen first', async (t) => {
    const { issues, counts, next, previous } = await queries.listIssues({ view: scene.view() })
    t.same(scene.namesOf(issues), ['worker', 'cart', 'price', 'mail'])
    t.same(counts, { unresolved: 4, regressed: 1, resolved: 1, ignored: 1 })
    t.same([next, previous], [undefined, undefined])
    const cart = issues[1]!
    t.match(cart, {
      project: 1,
      type: 'TypeError',
      value: 'cart is undefined',
      culprit: 'packages/shell/src/client/entry/root.tsx:run'
    })
    t.match(cart, {
      events: 3,
      visitors: 2,
      firstRelease: '1.4.0',
      lastRelease: '1.4.0',
      state: 'unresolved',
      isNew: true
    })
    t.match(cart, { level: 'error', side: 'browser', version: 1, firstSeen: cart.lastSeen })
    const ofDay = await queries.listIssues({ view: scene.view(1) })
    const { points } = ofDay.issues.find(({ id }) => id === cart.id)!
    t.equal(points.length, 24)
    t.equal(
      points.reduce((sum, events) => sum + events),
      3
    )
    t.equal(points[23 - (Math.floor(scene.now / 3_600_000) - Math.floor(cart.lastSeen / 3_600_000))], 3)
    t.same(
      issues.map(({ isNew }) => isNew),
      [true, true, true, false],
      'new in the last day or in the newest release, and never changed'
    )
  })

  t.test('sorts by events, first seen or visitors', async (t) => {
    t.same(await list({ sort: 'events', query: 'is:unresolved' }), ['cart', 'mail', 'price', 'worker'].sort(byEvents))
    t.same(await list({ sort: 'first', query: '' }), ['worker', 'cart', 'price', 'mail', 'gone', 'quiet'])
    t.same((await list({ sort: 'visitors', query: 'is:unresolved -side:server' })).toSorted(), ['cart', 'price'])
  })

  t.test('the view limits the list', async (t) => {
    const view = scene.view()
    t.same(await list({ view: { ...view, project: 2 } }), ['worker'])
    t.same(await list({ view: { ...view, environment: 'staging' } }), ['mail'])
    t.same(await list({ view: { ...view, release: '1.3.9' }, query: '' }), ['mail', 'gone', 'quiet'])
    t.same(await list({ view: scene.view(0.2) }), ['worker', 'cart'])
    // The end of the range is rounded up to a whole day, and is at least 20 hours ago.
    const past = { ...view, until: scene.now - 44 * 3_600_000, range: 'custom' } as const
    t.same(await list({ view: past, query: '' }), ['mail', 'gone', 'quiet'])
    t.same(await list({ view: { ...view, environment: 'nowhere' } }), [])
    const { counts, total } = await queries.listIssues({ view: { ...view, release: '1.4.0' } })
    t.equal(counts.unresolved, total)
  })

  t.test('counts the events of the environment and release of the view', async (t) => {
    const counted = async (query: Partial<IssueListQuery>) => {
      const { issues } = await queries.listIssues({ view: scene.view(), query: '', sort: 'events', ...query })
      return issues.map((issue) => {
        const points = issue.points.reduce((sum, events) => sum + events)
        t.equal(points, issue.eventsInRange, 'the bars add up to the number of events')
        return [scene.namesOf([issue])[0], issue.eventsInRange]
      })
    }
    const view = scene.view()
    t.same(await counted({ query: 'mail' }), [['mail', 2]])
    t.same(await counted({ view: { ...view, environment: 'staging' } }), [['mail', 1]])
    t.same(await counted({ view: { ...view, environment: 'staging', release: '1.3.9' } }), [])
    t.same(await counted({ view: { ...view, release: '1.4.0' } }), [
      ['cart', 3],
      ['price', 2],
      ['mail', 1]
    ])
    t.same(await counted({ view: { ...scene.view(2), environment: 'staging' } }), [], 'no events in the range')
    const past = { since: scene.now - 30 * 86_400_000, until: scene.now - 10 * 86_400_000, environment: 'production' }
    t.same((await counted({ view: past })).toSorted(), [
      ['gone', 1],
      ['quiet', 1]
    ])
    const id = scene.issues.get('mail')!
    const total = async (narrowed: object) =>
      (await queries.getIssueSeries({ id, view: { ...view, ...narrowed } })).series.points.reduce<number>(
        (sum, point) => sum + (point ?? 0),
        0
      )
    t.same([await total({}), await total({ environment: 'staging' }), await total({ release: 'none' })], [2, 1, 0])
    const { mostFrequent } = await queries.getOverview({ view: { ...view, environment: 'staging' } })
    t.same(
      mostFrequent.map((issue) => [scene.namesOf([issue])[0], issue.eventsInRange]),
      [['mail', 1]]
    )
  })

  const searches: [query: string, found: string[]][] = [
    ['', ['worker', 'cart', 'price', 'mail', 'gone', 'quiet']],
    ['is:regressed', ['mail']],
    ['is:resolved is:ignored', ['gone', 'quiet']],
    ['-is:unresolved', ['gone', 'quiet']],
    ['-is:regressed -is:ignored', ['worker', 'cart', 'price', 'gone']],
    ['is:new', ['worker', 'cart', 'price']],
    ['is:new is:ignored', ['worker', 'cart', 'price', 'quiet']],
    ['-is:new is:unresolved', ['mail']],
    ['release:1.4.0', ['cart', 'price', 'mail']],
    ['release:latest', ['cart', 'price', 'mail']],
    ['release:1.*', ['cart', 'price', 'mail', 'gone', 'quiet']],
    ['release:1.3.9 release:1.4.0 -release:latest', ['gone', 'quiet']],
    ['release:*.9', ['mail', 'gone', 'quiet']],
    ['release:*.4.*', ['cart', 'price', 'mail']],
    [String.raw`release:"\\*.9"`, []],
    ['introduced:*.3.9', ['gone', 'quiet']],
    ['introduced:1.4.0', ['cart', 'price', 'mail']],
    ['introduced:latest', ['cart', 'price', 'mail']],
    ['introduced:1.3.*', ['gone', 'quiet']],
    ['-introduced:1.3.* side:server', ['worker', 'mail']],
    ['env:staging', ['mail']],
    ['browser:SAFARI', ['cart']],
    ['browser:chrome browser:firefox', ['price', 'gone']],
    ['browser:netscape', []],
    ['-browser:safari is:unresolved', ['worker', 'price', 'mail']],
    ['os:ios', ['cart']],
    ['url:/checkout', ['cart']],
    ['url:/checkout/pay', ['cart']],
    ['url:/pay/checkout', []],
    ['url:/checkout/[step]', ['cart']],
    ['url:https://shop.example/check*', ['cart']],
    ['url:/check*', ['cart']],
    ['url:/check', []],
    ['user:u7', ['cart', 'price']],
    ['user:u7 -user:u8', []],
    ['user:u9 user:u7', ['cart', 'price', 'gone', 'quiet']],
    ['tag:shop="red shop"', ['price']],
    ['tag:shop=*', ['cart', 'price']],
    ['tag:shop="*D sho*"', ['price']],
    ['-tag:shop=*shop tag:shop=*', ['cart']],
    ['level:fatal', ['price']],
    ['side:server', ['worker', 'mail']],
    ['first:24h', ['worker', 'cart', 'price']],
    ['first:<24h', ['mail', 'gone', 'quiet']],
    ['last:>2d is:unresolved -last:6h', ['price', 'mail']],
    ['undefined', ['cart']],
    ['CART', ['cart']],
    ['car', ['cart']],
    ['car is', []],
    ['is:unresolved undef', ['cart']],
    ['"cart is"', ['cart']],
    ['"is cart"', []],
    ['cart i', ['cart']],
    ['"cart i"', []],
    ['undefined cart', ['cart']],
    ['-cart -worker side:browser is:unresolved', ['price']],
    ['grosse-12', []],
    ['grösse', []],
    ['größe-12', ['price']],
    ['RangeError: price of', ['price']],
    ['send_receipt$', ['mail']],
    ['lib/mail.ts:send_receipt$', ['mail']],
    ['toPrice', ['price']],
    ['<>', ['worker', 'cart', 'price', 'mail', 'gone', 'quiet']]
  ]
  for (const [query, found] of searches)
    t.test(`finds "${query}"`, async (t) => {
      const { issues, total } = await queries.listIssues({ view: scene.view(), query })
      t.same(scene.namesOf(issues), found)
      t.equal(total, found.length)
      t.same((await list({ query, sort: 'events' })).toSorted(), found.toSorted())
    })

  t.test('takes syntax of the full-text index as words', async (t) => {
    for (const query of [
      'AND',
      'cart AND',
      'NOT cart',
      'cart OR mail',
      'NEAR(cart, 2)',
      'value :cart',
      '^cart',
      'cart*',
      '"*',
      '{type} x',
      "it's",
      '\\"',
      'x\0y',
      'a"b'
    ])
      t.ok(Array.isArray(await list({ query })), query)
    t.same(await list({ query: '"cart" OR "mail"' }), [], 'OR is a word')
    t.same(await list({ query: 'os:"red\u0000 shop"' }), [], 'a NUL character matches nothing')
    t.same(await list({ query: 'release:"red\ud800 shop"' }), [], 'a lone surrogate matches nothing')
  })

  t.test('refuses an invalid search or cursor with an error that says why', async (t) => {
    const view = scene.view()
    await t.rejects(queries.listIssues({ view, query: 'cart relase:1' }), {
      code: 'APP_INBOX_QUERY_INVALID',
      statusCode: 400,
      position: 5,
      message: /Unknown filter "relase". Did you mean release\?/
    })
    for (const cursor of ['', 'x', 'AAAA', '%00', Buffer.from('events > 1 1').toString('base64url'), 'é'.repeat(500)])
      await t.rejects(
        queries.listIssues({ view, cursor }),
        { code: 'APP_INBOX_CURSOR_INVALID', statusCode: 400 },
        cursor
      )
  })

  t.test('an issue without a release is no longer new after a day', async (t) => {
    scene.change('quiet', { state: 'unresolved', changed: null, first_release: null })
    t.same(await list({ query: '-is:new is:unresolved' }), ['mail', 'quiet'])
  })

  function byEvents(one: string, other: string): number {
    const order = ['cart', 'mail', 'price', 'worker']
    return order.indexOf(one) - order.indexOf(other)
  }
}
