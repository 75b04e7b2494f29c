import fc from 'fast-check'
import t from 'tap'
import { normaliseMessage } from '../../src/grouping/group.ts'

const MESSAGES: [message: string, normalised: string][] = [
  ['mail to ada.lovelace+x@mail.example.org failed', 'mail to <email> failed'],
  ['GET https://api.example.org/items/7?a=b#c failed', 'GET <url> failed'],
  ['cannot load /assets/cart-BXk29dA3.js', 'cannot load <url>'],
  ['order 0b4f5a3e-7f0c-4b59-9d6e-6c6f0a1b2c3d is gone', 'order <uuid> is gone'],
  ['at 0xDEADBEEF', 'at <hex>'],
  ['commit 3f2a1b9c0d is unknown', 'commit <hex> is unknown'],
  ['user usr_65f1a2b3c4d5e6f7 is unknown', 'user usr_<hex> is unknown'],
  ['no intent pi_3MtwBwLkdIwHu7ix28a3tqPa', 'no intent pi_<id>'],
  ['order 01HZXK3V8Q2M4T6R9WBCDEFGHJ is gone', 'order <id> is gone'],
  ['OAuth2AccessTokenExpired in ECMAScript2015Runtime', 'OAuth<number>AccessTokenExpired in ECMAScript<number>Runtime'],
  ['12 of -3.5 at 10:30:05', '<number> of <number> at <number>'],
  ['id 12345678 of 1234567', 'id <number> of <number>'],
  ['item42 took 12ms', 'item<number> took <number>ms'],
  [`Cannot read properties of undefined (reading 'name')`, 'Cannot read properties of undefined (reading <quoted>)'],
  ['key "a b" in `c` and “d”', 'key <quoted> in <quoted> and <quoted>'],
  ["can't read what isn't there", "can't read what isn't there"],
  ['the facade is defaced', 'the facade is defaced'],
  ['  first   line \r\nsecond', 'first line'],
  ['\n\nlater', 'later'],
  ['', ''],
  [' \n\t', '']
]

t.test('parts that differ between visitors are replaced in a message', async (t) => {
  for (const [message, normalised] of MESSAGES) t.equal(normaliseMessage(message), normalised, message)
})

t.test('different values of the same kind give the same message', async (t) => {
  for (const kind of [fc.uuid(), fc.nat().map(String)]) {
    fc.assert(
      fc.property(kind, kind, (one, other) => {
        t.equal(normaliseMessage(`no item ${one} in cart`), normaliseMessage(`no item ${other} in cart`))
      })
    )
  }
})

/**
 * A busy machine may interrupt some of the attempts. If the time grows faster than the length, every attempt is too
 * slow.
 */
const ATTEMPTS = Array.from({ length: 20 })

t.test('the time for a message grows no faster than its length, even for a hostile message', async (t) => {
  const small = 2_000
  const large = 2_000_000
  for (const piece of [
    'a',
    'a.',
    'a@',
    'a-',
    '1.',
    '"',
    "'a ",
    '/',
    '://',
    'a://',
    '0x',
    ' ',
    '\n',
    'abcdef01-',
    'a1',
    '1a_',
    '<',
    '/a.',
    '\ud800'
  ]) {
    const timeOf = (length: number) => {
      // `repeat` makes a tree of strings, which is flattened when it is read first.
      const message = JSON.parse(JSON.stringify(piece.repeat(length / piece.length)))
      const start = process.hrtime.bigint()
      for (let round = 0; round < 20; round++) normaliseMessage(message)
      return Number(process.hrtime.bigint() - start)
    }
    const once = Math.min(...ATTEMPTS.map(() => timeOf(small)))
    const isFast = ATTEMPTS.some(() => timeOf(large) < once * 50 + 5e6)
    t.ok(isFast, `${JSON.stringify(piece)} repeated to a thousand times the length`)
  }
})

t.test('normalising a normalised message does not change it', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', '.', ':') }), (text) => {
      const once = normaliseMessage(text)
      t.equal(normaliseMessage(once), once)
    })
  )
})
