import type { Ctx, PageProps } from '#shell'
import { toView } from '../../../lib/common/inbox-view.ts'
import { ReleasesView } from '../../components/inbox/releases-view.tsx'

export const layout = 'inbox'

export async function getData({ server, search }: Ctx) {
  const view = toView(search, Date.now())
  return { view, releases: await server.inbox!.queries.listReleases({ view, limit: 50 }) }
}

export const getMeta = () => ({ title: 'Releases · Inbox', robots: 'noindex' })

export default function ReleasesPage({ data }: PageProps<typeof getData>) {
  return <ReleasesView {...data} />
}
