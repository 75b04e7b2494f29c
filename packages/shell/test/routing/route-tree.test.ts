import fc from 'fast-check'
import Fastify from 'fastify'
import t from 'tap'
import { createRouteTree } from '../../src/routing/route-tree.ts'

const tree = createRouteTree([
  '/pages/index.tsx',
  '/pages/about.tsx',
  '/pages/items/[id].tsx',
  '/pages/items/new.tsx',
  '/pages/items/[id]/edit.tsx',
  '/pages/docs/[...path].tsx',
  '/pages/docs/start.tsx',
  '/pages/shop/[[...path]].tsx',
  '/pages/(marketing)/pricing.tsx',
  '/pages/(marketing)/[campaign]/offer.tsx',
  '/pages/über/[name].tsx'
])

const find = (pathname: string) => {
  const match = tree.match(pathname)
  return match === undefined || match === 'malformed' ? match : [match.pattern.path, match.params]
}

t.test('matches every pattern', async (t) => {
  t.same(find('/'), ['/', {}])
  t.same(find('/about'), ['/about', {}])
  t.same(find('/items/7'), ['/items/[id]', { id: '7' }])
  t.same(find('/docs/a/b'), ['/docs/[...path]', { path: ['a', 'b'] }])
  t.same(find('/shop'), ['/shop/[[...path]]', { path: [] }])
  t.same(find('/shop/a/b'), ['/shop/[[...path]]', { path: ['a', 'b'] }])
  t.same(find('/pricing'), ['/pricing', {}])
  t.equal(find('/docs'), undefined)
  t.equal(find('/marketing/pricing'), undefined)
})

t.test('prefers static over dynamic over catch-all, and tries the next if one does not match', async (t) => {
  t.same(find('/items/new'), ['/items/new', {}])
  t.same(find('/items/new/edit'), ['/items/[id]/edit', { id: 'new' }])
  t.same(find('/docs/start'), ['/docs/start', {}])
  t.same(find('/docs/start/more'), ['/docs/[...path]', { path: ['start', 'more'] }])
  t.same(find('/about/offer'), ['/[campaign]/offer', { campaign: 'about' }])
})

t.test('decodes each part once, and keeps %2F inside it', async (t) => {
  t.same(find('/items/a%2Fb'), ['/items/[id]', { id: 'a/b' }])
  t.same(find('/docs/a%2Fb/c'), ['/docs/[...path]', { path: ['a/b', 'c'] }])
  t.same(find('/items/%2525'), ['/items/[id]', { id: '%25' }])
  t.same(find('/%C3%BCber/%E2%82%AC'), ['/über/[name]', { name: '€' }])
  t.same(find('/%61bout'), ['/about', {}])
})

t.test('is case-sensitive', async (t) => {
  t.equal(find('/About'), undefined)
})

t.test('does not match a path with an empty segment, a dot or two dots', async (t) => {
  for (const path of [
    '//',
    '//about',
    '/about/',
    '/items/',
    '/docs//a',
    '/docs/a/',
    '/items/.',
    '/items/..',
    '/items/%2e%2E',
    '/docs/../about',
    '',
    '*'
  ]) {
    t.equal(find(path), undefined, path)
  }
})

t.test('distinguishes a malformed path from an unknown one', async (t) => {
  for (const path of ['/%E0%A4%A', '/items/%', '/items/%zz', '/nowhere/%ff']) t.equal(find(path), 'malformed', path)
})

t.test('accepts a parameter of 2,048 characters, and no longer one', async (t) => {
  t.ok(find(`/items/${'x'.repeat(2_048)}`))
  t.equal(find(`/items/${'x'.repeat(2_049)}`), undefined)
  t.ok(find(`/docs/a/${'x'.repeat(2_048)}`))
  t.equal(find(`/docs/a/${'x'.repeat(2_049)}`), undefined)
  t.ok(find(`/items/${'%C3%BC'.repeat(2_048)}`), 'the length is that after decoding')
})

t.test('refuses two files for one path, and names both', async (t) => {
  const pairs: Array<[string, string]> = [
    ['/pages/about.tsx', '/pages/about/index.tsx'],
    ['/pages/(a)/about.tsx', '/pages/(b)/about.tsx'],
    ['/pages/items/[id].tsx', '/pages/items/[slug].tsx'],
    ['/pages/shop/index.tsx', '/pages/shop/[[...path]].tsx'],
    ['/pages/shop/[...rest].tsx', '/pages/shop/[[...path]].tsx']
  ]
  for (const pair of pairs)
    t.throws(() => createRouteTree(pair), {
      message: `Two files for one address: client${pair[0]} and client${pair[1]}`
    })
})

t.test('refuses file names that cannot be a path', async (t) => {
  for (const id of [
    '/pages/[...a]/b.tsx',
    '/pages/[a]/[a].tsx',
    '/pages/a:b.tsx',
    '/pages/[id]x.tsx',
    '/pages/a b.tsx',
    '/pages/-/x.tsx',
    '/pages/[].tsx',
    '/pages/100%.tsx'
  ]) {
    t.throws(
      () => createRouteTree([id]),
      { message: new RegExp(`^client${id.replace(/[[\].()*+?^$|\\]/g, '\\$&')}: `) },
      id
    )
  }
})

t.test('matches only paths for which the router of the server finds a page', async () => {
  const app = Fastify({ routerOptions: { maxParamLength: 100_000 } })
  for (const url of [
    '/',
    '/about',
    '/items/:a',
    '/items/new',
    '/items/:a/edit',
    '/docs/*',
    '/docs/start',
    '/shop',
    '/shop/*',
    '/pricing',
    '/:a/offer',
    '/über/:a'
  ]) {
    app.get(url, async () => 'page')
  }
  const part = fc.oneof(
    fc.constantFrom(
      'about',
      'items',
      'new',
      'edit',
      'docs',
      'start',
      'shop',
      'pricing',
      'offer',
      'über',
      '%2F',
      'a%2Fb',
      '%61bout',
      '.',
      '%20',
      'x;y',
      'a:b',
      '*',
      'a*'
    ),
    fc
      .string({ maxLength: 8 })
      .filter((text) => text !== '')
      .map(encodeURIComponent)
  )
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 4 }), async (parts) => {
      const pathname = '/' + parts.join('/')
      const match = tree.match(pathname)
      if (match === undefined || match === 'malformed') return
      const { statusCode } = await app.inject(pathname)
      if (statusCode !== 200)
        throw new Error(`${pathname} matches ${match.pattern.id}, but the router responds with ${statusCode}`)
    }),
    { numRuns: 1_000 }
  )
})
