import t from 'tap'
import { buildSite } from '@hull/test-helpers/site.ts'
import { typeCheck } from '@hull/test-helpers/type-check.ts'

const PAGES = {
  'disagreeing.tsx': `import type { Ctx } from '@hull/shell/client'
    export const getData = ({ params }: Ctx<'/disagreeing'>) => ({ count: 1 + Object.keys(params).length })
    export default ({ data }: { data: { count: string } }) => <p>{data.count}</p>`,
  'elsewhere.tsx': `import type { Ctx } from '@hull/shell/client'
    export const getData = ({ params }: Ctx<'/items/[id]'>) => params.id
    export default () => <p>x</p>`,
  'fields.tsx': `import { invalid, type PageProps } from '@hull/shell/client'
    export const action = () => invalid({ name: 'Say who you are.' })
    export default ({ form }: PageProps<undefined, typeof action>) => <p>{form?.errors.mail}</p>`,
  'meta.tsx': `export const getMeta = () => ({ titel: 'x', title: 1 })
    export default () => <p>x</p>`,
  'misspelt-meta.tsx': `export const getMeta = async () => ({ titel: 'x' })
    export default () => <p>x</p>`,
  'misspelt-cache.tsx': `export const cache = { maxage: 5, maxAge: 5 }
    export default () => <p>x</p>`,
  'exact.tsx': `import type { Meta } from '@hull/shell/client'
    export const cache = { maxAge: 5, vary: ['accept-language'] }
    export const getMeta = async (): Promise<Meta> => ({ title: 'x' })
    export default () => <p>x</p>`,
  'either.tsx': `export const getMeta = () => Math.random() > 1 ? {} : { title: 'x', openGraph: { image: '/x.png' } }
    export default () => <p>x</p>`,
  'lots/[id].tsx': `import { withSchema } from '@hull/shell/client'
    import { z } from 'zod'
    export const getData = withSchema({ params: z.object({ slug: z.string() }) }, ({ params }) => params.slug)
    export default () => <p>x</p>`,
  'shops/[id].tsx': `import { withSchema } from '@hull/shell/client'
    import { z } from 'zod'
    export const getData = withSchema({ form: z.object({ slug: z.string() }) }, ({ values }) => values.slug)
    export default () => <p>x</p>`,
  'items/[id].tsx': `import type { Ctx, PageProps } from '@hull/shell/client'
    export const getData = async ({ params }: Ctx<'/items/[id]'>) => ({ id: params.id, at: new Date() })
    export default ({ data }: PageProps<typeof getData>) => <time>{data.at.toISOString() + data.id.length}</time>`,
  'docs/[...path].tsx': `import type { Ctx } from '@hull/shell/client'
    export const getData = ({ params }: Ctx<'/docs/[...path]'>) => params.path.map((part) => part.length)
    export default () => <p>x</p>`
}

t.test('the type checker names a page if its', async (t) => {
  const site = await buildSite(t.testdir({ layouts: {}, pages: toTree(PAGES) }))
  const { output } = await typeCheck(site)
  const blames = (file: string) => new RegExp(`import\\("[^"]*/pages/${file}"\\)|pages/${file}\\(`).test(output)

  t.test('component expects other data than getData returns', async (t) => {
    t.ok(blames('disagreeing'), output)
  })

  t.test('getData is written for another path', async (t) => {
    t.ok(blames('elsewhere'), output)
  })

  t.test('schema of the params is for another path', async (t) => {
    t.ok(blames('lots/\\[id\\]'), output)
  })

  t.test('getData has a schema for a form', async (t) => {
    t.ok(blames('shops/\\[id\\]'), output)
  })

  t.test('component reads a field for which its action has no error', async (t) => {
    t.match(output, /fields\.tsx.*mail/)
  })

  t.test('getMeta returns an unknown key', async (t) => {
    t.ok(blames('meta'), output)
  })

  t.test('getMeta or cache has an unknown key', async (t) => {
    t.ok(blames('misspelt-meta'), output)
    t.ok(blames('misspelt-cache'), output)
  })

  t.test('and no other page', async (t) => {
    for (const file of ['exact', 'either']) t.notOk(blames(file), output)
    t.notOk(blames('items/\\[id\\]'), output)
    t.notOk(blames('docs/\\[\\.\\.\\.path\\]'), output)
    t.notMatch(output, 'never used', 'a site without layouts has no unused types')
  })
})

type Tree = { [name: string]: Tree | string }

function toTree(files: Record<string, string>): Tree {
  const tree: Tree = {}
  for (const [path, text] of Object.entries(files)) {
    const [folder, file] = path.includes('/') ? (path.split('/') as [string, string]) : [undefined, path]
    if (folder === undefined) tree[file] = text
    else tree[folder] = { [file]: text }
  }
  return tree
}
