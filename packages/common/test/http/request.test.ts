import t from 'tap'
import { withoutTrailingSlash } from '../../src/http/request.ts'

t.test('removes a trailing slash, unless browsers would read the remaining path as another host', async (t) => {
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
