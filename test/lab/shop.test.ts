import t from 'tap'
import { findItem, listItems } from '../../routes/lab/items.ts'
import { findShelf } from '../../routes/lab/shop.ts'

t.test('has fifty items, each under its id', async (t) => {
  t.equal(listItems().length, 50)
  for (const item of listItems()) t.equal(findItem(String(item.id)), item)
})

t.test('has no item for another spelling of an id', async (t) => {
  for (const id of ['0', '51', '07', '-1', '1.0', '1e1', ' 1', 'constructor', '']) t.equal(findItem(id), undefined, id)
})

t.test('has a shelf for each kind, and for each size of a kind', async (t) => {
  t.equal(findShelf([])!.below.length, 10)
  t.match(findShelf(['bow-shackle']), { title: 'Bow shackle', below: { length: 5 } })
  t.match(findShelf(['bow-shackle', '8 mm']), { title: 'Bow shackle 8 mm', below: [{ href: '/lab/items/2' }] })
})

t.test('has no other shelf', async (t) => {
  for (const path of [['anchor'], ['bow-shackle', '9 mm'], ['bow-shackle', '8 mm', 'x']]) {
    t.equal(findShelf(path), undefined, path.join('/'))
  }
})
