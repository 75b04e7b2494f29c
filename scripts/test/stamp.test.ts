import { execFileSync } from 'node:child_process'
import { rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { hashOf, isCurrent, writeStamp } from '../stamp.js'

t.test('a stamp is current while inputs and outputs are unchanged', async (t) => {
  const root = t.testdir({ client: { 'a.ts': '1', deep: { 'b.ts': '2' } }, dist: { server: { 'index.js': '' } } })
  const hash = () => hashOf(root, ['client', 'absent.ts'])
  const isStampCurrent = () => isCurrent(root, 'dist/build.json', hash())
  const write = () => writeStamp(root, 'dist/build.json', hash(), ['dist/server', '.hull/types'])

  t.equal(isStampCurrent(), false, 'is not current before it is written')
  write()
  t.equal(isStampCurrent(), true, 'is current while nothing changes')

  writeFileSync(join(root, 'client/deep/b.ts'), '3')
  t.equal(isStampCurrent(), false, 'is not current after an edit')
  writeFileSync(join(root, 'client/deep/b.ts'), '2')
  t.equal(isStampCurrent(), true, 'is current again after the edit is undone')

  writeFileSync(join(root, 'client/c.ts'), '')
  t.equal(isStampCurrent(), false, 'is not current with a new file')
  rmSync(join(root, 'client/c.ts'))

  writeFileSync(join(root, 'client/.a.ts.swp'), '')
  t.equal(isStampCurrent(), true, "is current with an editor's swap file")

  rmSync(join(root, 'dist/server'), { recursive: true })
  t.equal(isStampCurrent(), false, 'is not current after an output is deleted')

  writeFileSync(join(root, 'dist/build.json'), '{"inputs":')
  t.equal(isStampCurrent(), false, 'is not current if it is incomplete')
})

t.test('the hash separates names from contents', async (t) => {
  const one = t.testdir({ client: { ab: 'c' } })
  const before = hashOf(one, ['client'])
  const two = t.testdir({ client: { a: 'bc' } })
  t.not(hashOf(two, ['client']), before)
})

t.test('the hash excludes files that a build cannot read', async (t) => {
  const root = t.testdir({ client: { 'a.ts': '1' } })
  const before = hashOf(root, ['client'])
  execFileSync('mkfifo', [join(root, 'client/pipe')])
  symlinkSync('circle', join(root, 'client/circle'))
  symlinkSync('/nowhere', join(root, 'client/gone'))
  t.equal(hashOf(root, ['client']), before)
})

t.test('the hash uses size and time of a file that is too large to be a source', async (t) => {
  const root = t.testdir({ uploads: { film: '' } })
  const film = join(root, 'uploads/film')
  const hash = () => hashOf(root, ['uploads'])
  const hashes = [3 * 1024 ** 3, 3 * 1024 ** 3 + 1].map((size) => {
    truncateSync(film, size)
    utimesSync(film, 1, 1)
    return hash()
  })
  utimesSync(film, 2, 2)
  t.equal(new Set([...hashes, hash()]).size, 3)
})
