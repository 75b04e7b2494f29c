import t from 'tap'
import { navigate } from '../../../src/client/navigation/navigate.ts'

const calls: string[] = []
const location = {
  href: 'https://here.example/a/b',
  assign: (to: string) => calls.push(`assign ${to}`),
  replace: (to: string) => calls.push(`replace ${to}`)
}
const browser = { location, document: { baseURI: location.href } }
Object.assign(globalThis, browser)
t.teardown(() => {
  for (const name in browser) Reflect.deleteProperty(globalThis, name)
})

t.test('before the page is hydrated, loads a document by http and https only', async (t) => {
  for (const to of [
    'javascript:alert(1)',
    ' JavaScript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'blob:x'
  ])
    navigate(to as '/')
  t.same(calls, [])
  navigate('/x?y')
  navigate('c' as '/')
  navigate('https://other.example/' as '/', { replace: true })
  t.same(calls, [
    'assign https://here.example/x?y',
    'assign https://here.example/a/c',
    'replace https://other.example/'
  ])
})
