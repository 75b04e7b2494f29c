import t from 'tap'
import { networkOf, plainAddress } from '../../src/http/network.ts'

t.test('the network of an IPv4 address is the address itself, in every notation', async (t) => {
  for (const address of ['192.168.1.7', '::ffff:192.168.1.7', '::FFFF:c0a8:0107', '0:0:0:0:0:ffff:192.168.1.7'])
    t.equal(networkOf(address), '192.168.1.7', address)
  t.not(networkOf('192.168.1.7'), networkOf('192.168.1.8'))
})

t.test('the network of an IPv6 address is its /64', async (t) => {
  for (const address of [
    '2001:db8:0:7::1',
    '2001:DB8::7:ffff:ffff:ffff:ffff',
    '2001:0db8:0000:0007::',
    '2001:db8:0:7::1%eth0'
  ])
    t.equal(networkOf(address), '2001:db8:0:7', address)
  t.equal(networkOf('2001:db8:0:8::1'), '2001:db8:0:8')
  t.equal(networkOf('::1'), '0:0:0:0')
  t.equal(networkOf('::'), '0:0:0:0')
  t.equal(networkOf('fe80::1%eth0'), 'fe80:0:0:0')
  t.equal(networkOf('64:ff9b::192.0.2.1'), '64:ff9b:0:0')
})

t.test('all invalid addresses share one network', async (t) => {
  for (const address of ['', 'unknown', '1.2.3', 'x'.repeat(9_000), '_hidden', '1.2.3:80', '[1.2', '[]:80'])
    t.equal(networkOf(address), 'unknown')
})

t.test('ignores the port that some proxies add to an address', async (t) => {
  for (const [given, network, plain] of [
    ['203.0.113.7:49152', '203.0.113.7', '203.0.113.7'],
    ['[2001:db8:0:7::1]:49152', '2001:db8:0:7', '2001:db8:0:7::1'],
    ['[2001:db8:0:7::1]', '2001:db8:0:7', '2001:db8:0:7::1'],
    ['[::ffff:203.0.113.7]:80', '203.0.113.7', '203.0.113.7']
  ] as const) {
    t.equal(networkOf(given), network, given)
    t.equal(plainAddress(given), plain, given)
  }
})

t.test('removes the zone of an address, which has a meaning on this machine only', async (t) => {
  for (const [address, plain] of [
    ['192.168.1.7', '192.168.1.7'],
    ['::ffff:192.168.1.7', '192.168.1.7'],
    ['::FFFF:192.168.1.7', '192.168.1.7'],
    ['::ffff:c0a8:107', '::ffff:c0a8:107'],
    ['2001:db8::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['unknown', undefined],
    ['', undefined],
    ['::ffff:999.1.1.1', undefined]
  ] as const)
    t.equal(plainAddress(address), plain, address)
})
