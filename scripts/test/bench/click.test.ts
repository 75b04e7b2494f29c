import t from 'tap'
import { assertRequests } from '../../../bench/click.ts'

const data = { type: 'fetch', url: 'http://127.0.0.1/-/data/item/7' }
const document = { type: 'document', url: '/item/7' }

t.test('assertRequests', async (t) => {
  t.test('lets a click ask for page data once, and for chunks', async (t) => {
    assertRequests('hull-no-inbox', [data, { type: 'script', url: '/assets/item.js' }])
    t.throws(() => assertRequests('hull', [data, data]), /hull asks for page data 2 times .*\/-\/data\/item\/7/)
    t.throws(() => assertRequests('hull', []), /hull asks for page data 0 times for one click: nothing/)
  })
  t.test('lets the SDK report beside it', async (t) => {
    assertRequests('hull', [data, { type: 'fetch', url: 'http://127.0.0.1/monitoring' }])
    t.pass()
  })
  t.test('lets others ask as often as they do', async (t) => {
    assertRequests('next', [data, data])
    assertRequests('floor', [])
    t.pass()
  })
  t.test('prevents document loads', async (t) => {
    t.throws(() => assertRequests('next', [data, document]), /next loads a document after a click/)
    t.throws(() => assertRequests('hull', [document]), /hull loads a document after a click/)
  })
})
