import t from 'tap'
import { BoundedMap } from '../../src/client/bounded-map.ts'

function create({ entries = 3, size = 10 } = {}) {
  const dropped: string[] = []
  return { map: new BoundedMap<string>(entries, size, (value) => dropped.push(value)), dropped }
}

t.test('removes the oldest entry when there are too many', async (t) => {
  const { map, dropped } = create()
  for (const key of ['a', 'b', 'c', 'd']) map.set(key, `value ${key}`)
  t.same(dropped, ['value a'])
  t.equal(map.get('a'), undefined)
  t.equal(map.get('d'), 'value d')
})

t.test('removes oldest entries until the size of the newest one fits', async (t) => {
  const { map, dropped } = create()
  map.set('a', 'A', 4)
  map.set('b', 'B', 4)
  map.set('c', 'C', 9)
  t.same(dropped, ['A', 'B'])
  map.set('d', 'D', 1)
  t.same(dropped, ['A', 'B'], 'the exact maximum size is allowed')
})

t.test('does not keep an entry that is too large by itself', async (t) => {
  const { map, dropped } = create()
  map.set('a', 'A', 11)
  t.same(dropped, ['A'])
  t.equal(map.get('a'), undefined)
  map.set('b', 'B', 10)
  t.equal(map.get('b'), 'B', 'the refused entry needs no space')
})

t.test('an entry that is set again is the newest, with its new size', async (t) => {
  const { map, dropped } = create()
  map.set('a', 'A', 4)
  map.set('b', 'B', 4)
  map.set('a', 'A', 6)
  t.same(dropped, [], 'the same value is not dropped')
  map.set('c', 'C', 1)
  t.same(dropped, ['B'])
  map.set('a', 'another A')
  t.same(dropped, ['B', 'A'])
})

t.test('does not call onDrop for an entry that is taken out', async (t) => {
  const { map, dropped } = create()
  map.set('a', 'A', 10)
  t.equal(map.take('a'), 'A')
  t.equal(map.take('a'), undefined)
  map.set('b', 'B', 10)
  t.same(dropped, [])
})

t.test('drops some or all entries at once', async (t) => {
  const { map, dropped } = create()
  for (const key of ['a', 'b', 'c']) map.set(key, key)
  map.clear((value) => value === 'b')
  t.same(dropped, ['b'])
  map.clear()
  t.same(dropped, ['b', 'a', 'c'])
})
