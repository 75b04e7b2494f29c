import type { Ctx, PageProps } from '@hull/shell/client'
import { toView } from '../view.ts'
import { ReleasesView } from '../components/releases-view.tsx'

export const layout = 'inbox'

export async function getData({ server, search }: Ctx) {
  const view = toView(search, Date.now())
  return { view, releases: await server.inbox!.queries.listReleases({ view, limit: 50 }) }
}

export const getMeta = () => ({ title: 'Releases · Inbox', robots: 'noindex' })

export default function ReleasesPage({ data }: PageProps<typeof getData>) {
  return <ReleasesView {...data} />
}
