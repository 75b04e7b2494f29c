import t from 'tap'
import { redirectTarget } from '../../../src/client/navigation/redirects.ts'

const FROM = new URL('https://here.example/a/b?c=d#e')
const targetOf = (to: string, from = FROM) => redirectTarget(to, from)?.href

t.test('a redirect leads to a path of this origin, or to an absolute URL', async (t) => {
  t.equal(targetOf('/x?y#z'), 'https://here.example/x?y#z')
  t.equal(targetOf('https://other.example/x#z'), 'https://other.example/x#z')
  t.equal(targetOf('http://other.example'), 'http://other.example/#e')
})

t.test('keeps the hash if the redirect has none', async (t) => {
  t.equal(targetOf('/x'), 'https://here.example/x#e')
  t.equal(targetOf('/x', new URL('https://here.example/')), 'https://here.example/x')
})

t.test('refuses every other redirect', async (t) => {
  for (const to of [
    'javascript:alert(1)',
    'data:text/html,x',
    'blob:https://here.example/x',
    'file:///etc/passwd',
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    'x',
    '?x',
    '#x',
    ''
  ])
    t.equal(targetOf(to), undefined, to)
})
