import t from 'tap'
import Fastify from 'fastify'
import { createTrust } from '../../src/http/trust.ts'

t.test('trusts no address, every address, or a number of hops', async (t) => {
  t.equal(createTrust(false), false)
  t.equal(createTrust(0), false)
  const all = createTrust(true)
  t.ok(all && all('203.0.113.9', 7) && all(undefined, 0))
  const two = createTrust(2)
  t.same(two && [0, 1, 2].map((hop) => two('203.0.113.9', hop)), [true, true, false])
})

t.test('trusts addresses, ranges and named ranges of a list', async (t) => {
  const trust = createTrust(['loopback', 'uniquelocal', 'linklocal', '203.0.113.7', '2001:db8::/32'])
  if (!trust) throw new Error('no address is trusted')
  for (const address of [
    '127.0.0.1',
    '::1',
    '::ffff:127.0.0.1',
    '10.1.2.3',
    '172.31.255.255',
    '192.168.0.1',
    'fd00::1',
    'fe80::1%eth0',
    '203.0.113.7',
    '::ffff:203.0.113.7',
    '2001:db8:1::1'
  ])
    t.equal(trust(address, 0), true, address)
  for (const address of [
    '203.0.113.8',
    '172.32.0.1',
    '11.0.0.1',
    '2001:db9::1',
    '::ffff:11.0.0.1',
    '',
    'x',
    '%',
    undefined
  ])
    t.equal(trust(address, 0), false, String(address))
})

t.test('an invalid entry stops the start', async (t) => {
  for (const entry of ['10.0.0.0/33', 'abc', '10.0.0', '::/129']) t.throws(() => createTrust([entry]), entry)
})

t.test("Fastify uses it to find the visitor's address", async (t) => {
  const app = Fastify({ trustProxy: createTrust(['10.0.0.0/8']) })
  t.teardown(() => app.close())
  app.get('/', async ({ ip }) => ip)
  const ipOf = async (remoteAddress: string, forwarded: string) =>
    (await app.inject({ url: '/', remoteAddress, headers: { 'x-forwarded-for': forwarded } })).body
  t.equal(await ipOf('10.0.0.1', '198.51.100.1, 10.0.0.2'), '198.51.100.1')
  t.equal(await ipOf('10.0.0.1', '198.51.100.1, 10.0.0.2:443'), '198.51.100.1', 'the proxy added a port')
  t.equal(await ipOf('10.0.0.1', '198.51.100.1, nonsense'), 'nonsense')
  t.equal(await ipOf('203.0.113.9', '198.51.100.1'), '203.0.113.9')
})
