import type { Ctx, PageProps } from '@hull/shell/client'
import { requireReader } from '../../access/guard.ts'
import { toView } from '../view.ts'
import { encodedLength } from '../view-models/clip.ts'
import { toNames } from '../view-models/project-names.ts'
import { ReleasesView } from '../components/releases-view.tsx'

export const layout = 'inbox'

/** Releases of the list, the newest. */
const RELEASES = 50

/** Characters of all commits and deploys in the page's data. Releases above it are shown without them. A guess. */
const COMMITS_AND_DEPLOYS = 3_000_000

export async function getData(ctx: Ctx) {
  const view = toView(ctx.search, Date.now())
  const { queries } = await requireReader(ctx)
  const [projects, releases] = await Promise.all([
    view.project === undefined ? queries.listProjects() : [],
    // Reads one release more than it shows, to know whether there are more.
    queries.listReleases({ view, limit: RELEASES + 1 })
  ])
  let left = COMMITS_AND_DEPLOYS
  return {
    view,
    projects: toNames(projects),
    hasMore: releases.length > RELEASES,
    releases: releases.slice(0, RELEASES).map((release) => {
      const { commits, deploys, ...figures } = release
      left -= encodedLength(JSON.stringify([commits, deploys]))
      return left < 0 ? figures : release
    })
  }
}

export const getMeta = () => ({ title: 'Releases · Inbox', robots: 'noindex' })

export default function ReleasesPage({ data }: PageProps<typeof getData>) {
  return <ReleasesView {...data} />
}
