import fc from 'fast-check'
import t from 'tap'
import {
  filtersOf,
  addFilter,
  addInText,
  hasFilter,
  parseSearch,
  SearchInvalid,
  setFilter,
  toPattern,
  toTimeRange,
  wordsOf,
  writeExactFilter,
  writeSearch,
  type Search
} from '../../src/web/search/index.ts'

const read = (text: string) =>
  parseSearch(text).terms.map((term) => {
    const sign = term.negated ? '-' : ''
    if (term.kind === 'word') return [`${sign}${term.isPhrase ? 'phrase' : 'word'}`, term.text]
    return [`${sign}${term.name}`, ...(term.tag === undefined ? [] : [term.tag]), term.value]
  })

t.test('a search', async (t) => {
  t.test('consists of filters and words, in any order', async (t) => {
    t.same(read('is:unresolved cart release:1.4.2  total'), [
      ['is', 'unresolved'],
      ['word', 'cart'],
      ['release', '1.4.2'],
      ['word', 'total']
    ])
    t.same(read(' \t\n'), [])
  })

  t.test('accepts other names of filters, in upper and lower case', async (t) => {
    t.same(read('ENV:production visitor:7 route:/items IS:Resolved level:FATAL'), [
      ['environment', 'production'],
      ['user', '7'],
      ['url', '/items'],
      ['is', 'resolved'],
      ['level', 'fatal']
    ])
  })

  t.test('accepts the names of filters in Sentry', async (t) => {
    t.same(read('user.email:ada@shop.example -user.id:7 User.Username:ada os.name:ios browser.name:safari'), [
      ['user', 'ada@shop.example'],
      ['-user', '7'],
      ['user', 'ada'],
      ['os', 'ios'],
      ['browser', 'safari']
    ])
    t.same(read('transaction:/cart'), [['url', '/cart']])
    t.same(read('user.name user.js:12'), [
      ['word', 'user.name'],
      ['word', 'user.js:12']
    ])
  })

  t.test('accepts values in quotes, with escaped quotes in them', async (t) => {
    t.same(
      read(String.raw`browser:"Mobile Safari" release:"a \"b\" \\c" "exact words" tag:"my name"="my value" tag:a=b=c`),
      [
        ['browser', 'Mobile Safari'],
        ['release', String.raw`a "b" \c`],
        ['phrase', 'exact words'],
        ['tag', 'my name', 'my value'],
        ['tag', 'a', 'b=c']
      ]
    )
  })

  t.test('excludes terms after a minus or an exclamation mark', async (t) => {
    t.same(read('-browser:safari !is:ignored -cart -"two words" - x'), [
      ['-browser', 'safari'],
      ['-is', 'ignored'],
      ['-word', 'cart'],
      ['-phrase', 'two words'],
      ['word', '-'],
      ['word', 'x']
    ])
  })

  t.test('can be a pasted error message', async (t) => {
    const message = `TypeError: Cannot read (reading 'city') at https://shop.example/a.js:1:200, node:fs/promises x.ts:12`
    t.same(
      read(message).map(([, text]) => text),
      message.split(' ')
    )
    t.same(read(`Unexpected token '<', "<!DOCTYPE "... is`).at(3), ['phrase', '<!DOCTYPE '])
    t.same(read('ActiveRecord::RecordNotFound: -std::bad_alloc'), [
      ['word', 'ActiveRecord::RecordNotFound:'],
      ['-word', 'std::bad_alloc']
    ])
  })

  t.test('accepts a quote that is not closed', async (t) => {
    t.same(read('"still typing'), [['phrase', 'still typing']])
    t.same(read('tag:a="still typ'), [['tag', 'a', 'still typ']])
  })
})

t.test('reports errors in a search', async (t) => {
  const cases: [text: string, position: number, message: RegExp][] = [
    [
      'cart relase:1.4.2',
      5,
      /^Unknown filter "relase"\. Did you mean release\?.*put it in quotes: "relase:1\.4\.2"\.$/
    ],
    ['colour:red', 0, /The filters are is, release, introduced, environment, url, .* first and last\. To/],
    ['is:unresloved', 0, /^is: accepts unresolved, .* and new \(found "unresloved"\)\. Did you mean is:unresolved\?$/],
    ['is:whatever', 0, /^is: accepts unresolved, regressed, resolved, ignored and new \(found "whatever"\)\.$/],
    ['x level:urgent', 2, /^level: accepts fatal, /],
    ['side:client', 0, /^side: accepts browser and server \(found "client"\)\.$/],
    ['a -is: b', 2, /^is: needs a value, for example is:unresolved\.$/],
    ['release:""', 0, /^release: needs a value/],
    ['tag:colour', 0, /^tag: needs a name and a value, for example tag:colour=red\.$/],
    ['tag:=red', 0, /^tag: needs a name/],
    ['tag:colour=', 0, /^tag: needs a name/],
    ['first:yesterday', 0, /^first: accepts a time, for example first:24h .* \(found "yesterday"\)\.$/],
    ['last:2026-02-30', 0, /^last: accepts a time/],
    ['x '.repeat(61), 120, /at most 60 words and filters\.$/],
    ['x'.repeat(1_001), 1_000, /at most 1,000 characters\.$/]
  ]
  for (const [text, position, message] of cases)
    t.test(`in "${text.slice(0, 30)}"`, async (t) => {
      t.throws(() => parseSearch(text), { constructor: SearchInvalid, name: 'SearchInvalid', message, position })
    })
})

t.test('a time is an age, a day or a minute', async (t) => {
  const now = Date.UTC(2026, 10, 21, 12)
  const day = 86_400_000
  const at = Date.UTC(2026, 10, 1)
  t.same(toTimeRange('24h', now), { from: now - day })
  t.same(toTimeRange('>2w', now), { from: now - 14 * day })
  t.same(toTimeRange('<30m', now), { to: now - 1_800_000 })
  t.same(toTimeRange('2026-11-01', now), { from: at, to: at + day })
  t.same(toTimeRange('>2026-11-01', now), { from: at })
  t.same(toTimeRange('<2026-11-01T12:30', now), { to: at + 12.5 * 3_600_000 })
  t.same(toTimeRange('2026-11-01T00:00', now), { from: at, to: at + 60_000 })
  for (const wrong of ['', '24', 'h', '2026-13-01', '2026-11-31', '2026-11-01T25:00', '>>1h', '1y', '-1h'])
    t.equal(toTimeRange(wrong, now), undefined, wrong)
})

t.test('a button changes the search', async (t) => {
  const search = parseSearch('is:unresolved cart release:1.4.2')
  t.test('adds a filter once', async (t) => {
    const more = addFilter(search, { name: 'browser', value: 'Mobile Safari' })
    t.equal(writeSearch(more), 'is:unresolved cart release:1.4.2 browser:"Mobile Safari"')
    t.ok(hasFilter(more, { name: 'browser', value: 'Mobile Safari' }))
    t.notOk(hasFilter(more, { name: 'browser', value: 'Mobile Safari', negated: true }))
    t.equal(addFilter(more, { name: 'browser', value: 'Mobile Safari' }), more)
    t.equal(
      writeSearch(addFilter(search, { name: 'is', value: 'new', negated: true })),
      `${writeSearch(search)} -is:new`
    )
  })

  t.test('replaces the value of a filter', async (t) => {
    t.equal(writeSearch(setFilter(search, 'is', 'resolved')), 'is:resolved cart release:1.4.2')
    t.equal(writeSearch(setFilter(search, 'release')), 'is:unresolved cart')
    t.equal(writeSearch(setFilter(search, 'side', 'server')), 'is:unresolved cart release:1.4.2 side:server')
  })

  t.test('accepts a value that begins with slashes or backslashes', async (t) => {
    for (const value of ['//wp-login.php', String.raw`\\host\share`, String.raw`\n`]) {
      for (const filter of [
        { name: 'url', value },
        { name: 'tag', tag: value, value }
      ] as const)
        t.ok(hasFilter(parseSearch(addInText('', filter)), filter), addInText('', filter))
    }
  })

  t.test('accepts a tag whose name contains an equals sign', async (t) => {
    const filter = { name: 'tag', tag: 'a=b', value: 'c=d' } as const
    t.equal(addInText('', filter), 'tag:"a=b"=c=d')
    t.ok(hasFilter(parseSearch('tag:"a=b"=c=d'), filter))
    t.ok(hasFilter(parseSearch('tag:"a=b"'), { name: 'tag', tag: 'a', value: 'b' }), 'other text is read as before')
  })

  t.test('finds a value that ends with an asterisk alone', async (t) => {
    for (const value of ['1.0*', '*', '**', String.raw`C:\*`, 'red shop*', '1.0']) {
      for (const filter of [
        { name: 'release', value },
        { name: 'tag', tag: 'a', value }
      ] as const) {
        const [read] = filtersOf(parseSearch(writeExactFilter(filter)))
        t.same(toPattern(read!.value), { text: value, isStart: false, isEnd: false }, value)
      }
    }
    t.same(toPattern('1.4.*'), { text: '1.4.', isStart: true, isEnd: false })
    t.equal(writeExactFilter({ name: 'user', value: '7*' }), 'user:7*', 'no beginning of a user')
  })

  t.test('adds a filter to an invalid search', async (t) => {
    const filter = { name: 'tag', tag: 'colour', value: 'light red' } as const
    t.equal(addInText('cart', filter), 'cart tag:colour="light red"')
    t.equal(addInText('cart tag:colour="light red"', filter), 'cart tag:colour="light red"')
    t.equal(addInText('is:nothing', filter), 'is:nothing tag:colour="light red"')
  })
})

t.test('a value is written so that it finds only itself, whatever its asterisks', async (t) => {
  for (const value of ['*', '*x', 'x*', '*x*', '**', String.raw`\*x`, String.raw`\\*`, 'x*y']) {
    const [filter] = filtersOf(parseSearch(writeExactFilter({ name: 'release', value })))
    t.same(toPattern(filter!.value), { text: value, isStart: false, isEnd: false }, value)
  }
  t.same(toPattern('*x*'), { text: 'x', isStart: true, isEnd: true })
  t.same(toPattern('*'), { text: '', isStart: true, isEnd: false })
})

t.test('a search that is written as text is parsed to the same search', async (t) => {
  const name = fc.constantFrom('release', 'environment', 'url', 'browser', 'os', 'user')
  const value = fc.string({ minLength: 1, maxLength: 12, unit: 'binary' })
  const filter = fc.record({ name, value, negated: fc.boolean() }).map((one) => ({ kind: 'filter' as const, ...one }))
  const tag = fc
    .record({ tag: value, value, negated: fc.boolean() })
    .map((one) => ({ kind: 'filter' as const, name: 'tag', ...one }))
  const phrase = fc
    .record({ text: value, negated: fc.boolean() })
    .map((one) => ({ kind: 'word' as const, isPhrase: true, ...one }))
  const bare = (search: Search) => search.terms.map(({ position: _position, ...term }) => term)
  fc.assert(
    fc.property(fc.array(fc.oneof(filter, tag, phrase), { maxLength: 6 }), (terms) => {
      const search = { terms: terms.map((term) => ({ ...term, position: 0 })) } as Search
      t.same(bare(parseSearch(writeSearch(search))), bare(search), writeSearch(search))
    })
  )
  fc.assert(
    fc.property(
      fc.string({ maxLength: 60, unit: fc.constantFrom(...`ab :="\\-!<>1h\t`, 'is:', 'tag:', 'é') }),
      (text) => {
        try {
          const search = parseSearch(text)
          t.same(bare(parseSearch(writeSearch(search))), bare(search), JSON.stringify(text))
          t.equal(filtersOf(search).length + wordsOf(search).length, search.terms.length)
        } catch (error) {
          if (!(error instanceof SearchInvalid)) throw error
          t.ok(error.position >= 0 && error.position <= text.length)
        }
      }
    )
  )
})
