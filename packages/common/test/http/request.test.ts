import t from 'tap'
import { withoutTrailingSlash } from '../../src/http/request.ts'

t.test('a trailing slash is removed, unless browsers read another host in what is left', async (t) => {
  for (const [url, expected] of [
    ['/about/', '/about'],
    ['/about/?a=/', '/about?a=/'],
    ['/about', undefined],
    ['/', undefined],
    ['//evil.example/', undefined],
    ['/a//b/', undefined],
    ['/\\evil.example/', undefined],
    ['/a\\/', undefined]
  ] as const)
    t.equal(withoutTrailingSlash(url), expected, url)
})
