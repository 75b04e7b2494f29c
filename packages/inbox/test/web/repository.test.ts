import t from 'tap'
import { commitOf, toCommitHref, toNewIssueHref, toSourceHref, type Repository } from '../../src/web/repository.ts'

const github: Repository = { host: 'github', url: 'https://github.com/acme/shop' }
const gitlab: Repository = { host: 'gitlab', url: 'https://git.example/team/shop' }
const gitea: Repository = { host: 'gitea', url: 'https://code.example/acme/shop' }
const commit = '3f9c2ab'

t.test('a frame links to its line in the repository', async (t) => {
  const place = { commit, file: 'client/pages/items/[id].tsx', line: 42 }
  t.equal(toSourceHref(github, place), 'https://github.com/acme/shop/blob/3f9c2ab/client/pages/items/%5Bid%5D.tsx#L42')
  t.equal(
    toSourceHref(gitlab, place),
    'https://git.example/team/shop/-/blob/3f9c2ab/client/pages/items/%5Bid%5D.tsx#L42'
  )
  t.equal(
    toSourceHref(gitea, place),
    'https://code.example/acme/shop/src/commit/3f9c2ab/client/pages/items/%5Bid%5D.tsx#L42'
  )
  t.equal(
    toSourceHref(github, { commit, file: 'app:///server.ts' }),
    'https://github.com/acme/shop/blob/3f9c2ab/server.ts'
  )
})

t.test('a frame of a project in a folder links to the file there', async (t) => {
  const web = { ...github, folder: 'packages/web app' }
  const href = 'https://github.com/acme/shop/blob/3f9c2ab/packages/web%20app/src/cart.tsx#L3'
  for (const file of ['src/cart.tsx', 'app:///src/cart.tsx', 'packages/web app/src/cart.tsx'])
    t.equal(toSourceHref(web, { commit, file, line: 3 }), href, file)
  t.equal(toSourceHref(web, { commit, file: '../api/cart.ts', line: 3 }), undefined)
})

t.test('a file outside of the repository has no link', async (t) => {
  for (const file of [
    '/app/server.ts',
    'C:\\app\\server.ts',
    'https://cdn.example/a.js',
    'node:internal/timers',
    '../other/a.ts',
    'a/../../b.ts',
    'node_modules/react/index.js',
    'javascript:alert(1)'
  ])
    t.equal(toSourceHref(github, { commit, file, line: 1 }), undefined, file)
})

t.test('a commit and a new issue have links', async (t) => {
  t.equal(toCommitHref(gitlab, commit), 'https://git.example/team/shop/-/commit/3f9c2ab')
  const issue = { title: 'TypeError: a & b', body: 'line 1\n# line 2' }
  t.equal(
    toNewIssueHref(github, issue),
    'https://github.com/acme/shop/issues/new?title=TypeError%3A%20a%20%26%20b&body=line%201%0A%23%20line%202'
  )
  t.match(toNewIssueHref(gitlab, issue), '/-/issues/new?issue[title]=TypeError')
})

t.test('the text of a new issue is cut so that the address does not become too long', async (t) => {
  const body = Array.from({ length: 1_000 }, (_, i) => `line ${i}: äöü`).join('\n')
  const href = toNewIssueHref(gitea, { title: 'x', body })
  t.ok(href.length <= 6_000)
  t.match(decodeURIComponent(href), /line 50: äöü\n/)
})

t.test('the text of a new issue can have many lines', async (t) => {
  // If the text were encoded again for each line that is left out, this would take minutes.
  const body = `first line\n${`${'x'.repeat(40)}\n`.repeat(40_000)}`
  const href = toNewIssueHref(github, { title: 'x', body })
  t.ok(href.length <= 6_000 && href.length > 5_900)
  t.match(href, 'first%20line%0Axxx')
})

t.test('a version can end with its commit', async (t) => {
  for (const [version, expected] of [
    ['1.4.2+3f9c2ab', commit],
    ['shop@3f9c2ab', commit],
    ['2026-11-23-3f9c2ab', commit],
    ['3f9c2ab'.padEnd(40, '0'), '3f9c2ab'.padEnd(40, '0')],
    ['6f16760dbeb9', undefined],
    ['1.4.2', undefined],
    ['1.4.2+build', undefined],
    ['x3f9c2ab', undefined]
  ] as const)
    t.equal(commitOf(version), expected, version)
})
