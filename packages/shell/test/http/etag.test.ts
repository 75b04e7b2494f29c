import t from 'tap'
import { matchesEtag } from '../../src/plugins/pages/stored.ts'

const ETAG = 'W/"abc"'

t.test('compares with weak comparison', async (t) => {
  for (const known of ['W/"abc"', '"abc"', ' "abc" ', '"x", W/"abc"', '"x","abc","y"', '*'])
    t.equal(matchesEtag(known, ETAG), true, known)
  t.equal(matchesEtag('W/"abc"', '"abc"'), true)
})

t.test('matches no other value', async (t) => {
  for (const known of [undefined, '', 'abc', '"ab"', '"abcd"', 'w/"abc"', 'W/ "abc"', '"*"', ',,', '"ABC"'])
    t.equal(matchesEtag(known, ETAG), false, String(known))
})

t.test('a header of any length needs little CPU time', async (t) => {
  const began = process.cpuUsage()
  t.equal(matchesEtag('"x",'.repeat(4_000), ETAG), false)
  t.equal(matchesEtag(' '.repeat(16_000), ETAG), false)
  t.ok(process.cpuUsage(began).user < 1_000_000)
})
