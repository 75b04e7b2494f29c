import type { Ctx, PageProps } from '@hull/shell/client'
import { requireReader } from '../../access/guard.ts'
import { toView } from '../view.ts'
import { ReleasesView } from '../components/releases-view.tsx'

export const layout = 'inbox'

export async function getData(ctx: Ctx) {
  const view = toView(ctx.search, Date.now())
  const { queries } = await requireReader(ctx)
  return { view, releases: await queries.listReleases({ view, limit: 50 }) }
}

export const getMeta = () => ({ title: 'Releases · Inbox', robots: 'noindex' })

export default function ReleasesPage({ data }: PageProps<typeof getData>) {
  return <ReleasesView {...data} />
}
