import t from 'tap'
import { isCrossSite } from '../../src/http/request.ts'

const OWN = 'https://app.example'

t.test('Sec-Fetch-Site decides if the request has it', async (t) => {
  for (const site of ['same-origin', 'none']) t.equal(isCrossSite({ 'sec-fetch-site': site }, OWN), false, site)
  for (const site of ['cross-site', 'same-site', '', 'Same-Origin', 'same-origin, cross-site', 'x'])
    t.equal(isCrossSite({ 'sec-fetch-site': site }, OWN), true, site)
  t.equal(isCrossSite({ 'sec-fetch-site': 'cross-site', origin: OWN }, OWN), true)
})

t.test('Origin decides if the request has no Sec-Fetch-Site', async (t) => {
  for (const origin of [OWN, 'https://app.example:443', 'https://APP.example'])
    t.equal(isCrossSite({ origin }, OWN), false, origin)
  for (const origin of [
    'http://app.example',
    'https://app.example:8443',
    'https://evil.example',
    'https://app.example.evil.example',
    'https://app.example@evil.example',
    'null',
    '',
    'app.example'
  ])
    t.equal(isCrossSite({ origin }, OWN), true, origin)
})

t.test('trusts no Origin if the origin of the application cannot be parsed', async (t) => {
  for (const own of ['http://evil"<script>', 'http://', ''])
    t.equal(isCrossSite({ origin: 'https://app.example' }, own), true, own)
  t.equal(isCrossSite({ origin: 'null' }, 'null'), true)
})

t.test('a request with neither header does not come from a browser', async (t) => {
  t.equal(isCrossSite({}, OWN), false)
  t.equal(isCrossSite({ referer: 'https://evil.example/' }, OWN), false)
})
