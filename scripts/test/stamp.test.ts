import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { hashOf, isCurrent, writeStamp } from '../stamp.js'

t.test('a stamp', async (t) => {
  const root = t.testdir({ client: { 'a.ts': '1', deep: { 'b.ts': '2' } }, dist: { server: { 'index.js': '' } } })
  const hash = () => hashOf(root, ['client', 'absent.ts'])
  const holds = () => isCurrent(root, 'dist/build.json', hash())
  const write = () => writeStamp(root, 'dist/build.json', hash(), ['dist/server', '.hull/types'])

  t.equal(holds(), false, 'does not hold before it is written')
  write()
  t.equal(holds(), true, 'holds while nothing changes')

  writeFileSync(join(root, 'client/deep/b.ts'), '3')
  t.equal(holds(), false, 'does not hold after an edit')
  writeFileSync(join(root, 'client/deep/b.ts'), '2')
  t.equal(holds(), true, 'holds again when the edit is undone')

  writeFileSync(join(root, 'client/c.ts'), '')
  t.equal(holds(), false, 'does not hold with a new file')
  rmSync(join(root, 'client/c.ts'))

  writeFileSync(join(root, 'client/.a.ts.swp'), '')
  t.equal(holds(), true, "holds beside an editor's swap file")

  rmSync(join(root, 'dist/server'), { recursive: true })
  t.equal(holds(), false, 'does not hold when what was made is gone')

  writeFileSync(join(root, 'dist/build.json'), '{"inputs":')
  t.equal(holds(), false, 'does not hold when its writing was cut short')
})

t.test('a name is not mistaken for contents', async (t) => {
  const one = t.testdir({ client: { ab: 'c' } })
  const before = hashOf(one, ['client'])
  const two = t.testdir({ client: { a: 'bc' } })
  t.not(hashOf(two, ['client']), before)
})
