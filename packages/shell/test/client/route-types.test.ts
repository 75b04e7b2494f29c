import t from 'tap'
import { buildSite } from '@hull/test-helpers/site.ts'
import { typeCheck } from '@hull/test-helpers/type-check.ts'

t.test('the type checker knows the types of routes', async (t) => {
  const site = await buildSite(
    t.testdir({
      layouts: {},
      pages: {
        items: {
          '[id].tsx': `import { useRoute, type Ctx } from '@hull/shell/client'
export const getData = async ({ params }: Ctx<'/items/[id]'>) => ({ id: params.id, at: new Date() })
export default function Item () {
  const { params, data, search } = useRoute<'/items/[id]', typeof getData>()
  return data && <time>{data.at.toISOString() + params.id.length + search.get('a')}</time>
}`
        },
        'decorated.tsx': `import type { ActionCtx, Ctx, PageProps } from '@hull/shell/client'
declare module 'fastify' {
  interface FastifyInstance { prices: { get: (id: string) => number } }
  interface FastifyRequest { tenant: string }
  interface FastifyReply { setTenant: (tenant: string) => void }
}
export const getData = ({ server, req }: Ctx) => ({ price: server.prices.get(req.tenant) })
export const action = ({ reply }: ActionCtx) => reply.setTenant('blue')
export default function Decorated ({ data }: PageProps<typeof getData, typeof action>) {
  return <p>{data.price.toFixed(2)}</p>
}`,
        'wrong-decorator.tsx': `import type { Ctx } from '@hull/shell/client'
export const getData = ({ server }: Ctx) => ({ price: server.prices.find('a') })
export const getMeta = ({ req }: Ctx) => ({ title: req.tenant.toFixed() })
export default () => <p>x</p>`,
        'wrong-param.tsx': `import { useRoute } from '@hull/shell/client'
export default () => <p>{useRoute<'/items/[id]'>().params.name}</p>`,
        'wrong-data.tsx': `import { useRoute } from '@hull/shell/client'
const getRows = () => ({ rows: 1 })
export default () => <p>{useRoute<'/wrong-data', typeof getRows>().data?.row}</p>`,
        'outcome-data.tsx': `import { useRoute } from '@hull/shell/client'
const getRows = () => ({ rows: 1 })
export default () => <p>{useRoute<'/outcome-data', typeof getRows>().data.rows}</p>`,
        'wrong-state.tsx': `import { useNavigation } from '@hull/shell/client'
export default () => <p>{useNavigation().state === 'busy' ? 'x' : 'y'}</p>`,
        'anywhere.tsx': `import { useNavigation, useRoute } from '@hull/shell/client'
export default function Anywhere () {
  const { pathname, params } = useRoute()
  const { state, to, formData } = useNavigation()
  return <p>{pathname.length + String(params.any).length + state + (to?.length ?? 0) + String(formData?.get('x'))}</p>
}`
      }
    })
  )
  const { output } = await typeCheck(site)
  t.match(output, /wrong-param\.tsx.*'name'/)
  t.match(output, /wrong-data\.tsx.*'row'/)
  t.match(output, /outcome-data\.tsx.*possibly 'null'/)
  t.match(output, /wrong-state\.tsx.*no overlap/)
  t.match(output, /wrong-decorator\.tsx.*'find'/)
  t.match(output, /wrong-decorator\.tsx.*'toFixed'/)
  t.notMatch(output, /\/decorated\.tsx/)
  t.notMatch(output, /pages\/items/)
  t.notMatch(output, /anywhere\.tsx/)
})
