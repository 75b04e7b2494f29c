import fc from 'fast-check'
import t from 'tap'
import { toOwnPath, toWebUrl } from '../src/safe-url.ts'

t.test('keeps a path of this application', async (t) => {
  t.equal(toOwnPath('/a/b?c=d#e'), '/a/b?c=d#e')
  t.equal(toOwnPath('/a/../b'), '/b')
  t.equal(toOwnPath('/a b'), '/a%20b')
})

t.test('refuses URLs of other origins', async (t) => {
  for (const to of [
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '\\\\evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '/.//evil.example',
    '/..//evil.example',
    'evil',
    '',
    '/\n/evil.example'
  ]) {
    t.equal(toOwnPath(to), undefined, JSON.stringify(to))
  }
})

t.test('never returns a path that a browser would read as another origin', async () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.constantFrom('/', '\\', '.', '..', ':', '@', '\t', '\n', '%2f', 'evil.example', '?', '#', 'javascript:'),
        { maxLength: 8 }
      ),
      (parts) => {
        const path = toOwnPath('/' + parts.join(''))
        return path === undefined || new URL(path, 'https://app.example').origin === 'https://app.example'
      }
    ),
    { numRuns: 5_000 }
  )
})

t.test('accepts only http and https as a web address', async (t) => {
  t.equal(toWebUrl('https://other.example/a'), 'https://other.example/a')
  for (const to of [
    'javascript:alert(1)',
    'data:text/html,x',
    'JaVaScRiPt:alert(1)',
    'ftp://x',
    '/path',
    'blob:https://a/b',
    'nonsense'
  ])
    t.equal(toWebUrl(to), undefined, to)
})
