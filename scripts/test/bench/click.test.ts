import t from 'tap'
import { assertRequests } from '../../../bench/click.ts'

const data = { type: 'fetch', url: 'http://127.0.0.1/-/data/item/7' }
const document = { type: 'document', url: '/item/7' }

t.test('assertRequests', async (t) => {
  t.test('requires exactly one request for page data per click, and allows requests for chunks', async (t) => {
    assertRequests('hull-no-inbox', [data, { type: 'script', url: '/assets/item.js' }])
    t.throws(() => assertRequests('hull', [data, data]), /hull requests page data 2 times .*\/-\/data\/item\/7/)
    t.throws(() => assertRequests('hull', []), /hull requests page data 0 times for one click: nothing/)
  })
  t.test('allows requests of the SDK', async (t) => {
    assertRequests('hull', [data, { type: 'fetch', url: 'http://127.0.0.1/monitoring' }])
    t.pass()
  })
  t.test('allows other contenders any number of requests for data', async (t) => {
    assertRequests('next', [data, data])
    assertRequests('floor', [])
    t.pass()
  })
  t.test('refuses a click that loads a document', async (t) => {
    t.throws(() => assertRequests('next', [data, document]), /next loads a document after a click/)
    t.throws(() => assertRequests('hull', [document]), /hull loads a document after a click/)
  })
})
