import t from 'tap'
import { toTree } from '../../../bench/same-tree.ts'

const page = (main: string) => `<html><head><title>List</title></head><body><div>${main}</div></body></html>`

t.test('toTree', async (t) => {
  const floor = toTree(page('<main class="list"><p>50<!-- --> items</p><a href="/item/1">One</a></main>'))

  t.test('is blind to what a framework adds', async (t) => {
    t.equal(
      toTree(
        '<title data-x="1">List</title><main data-page class="list"><p>50 items</p><a data-discover="true" href="/item/1">One</a></main>'
      ),
      floor
    )
  })
  t.test('sees another word, element, address, title', async (t) => {
    t.not(toTree(page('<main><p>49 items</p><a href="/item/1">One</a></main>')), floor)
    t.not(toTree(page('<main><div>50 items</div><a href="/item/1">One</a></main>')), floor)
    t.not(toTree(page('<main><p>50 items</p><a href="/item/2">One</a></main>')), floor)
    t.not(toTree(page('<main><p>50 items</p><a href="/item/1">One</a></main>').replace('List', 'Home')), floor)
  })
})
