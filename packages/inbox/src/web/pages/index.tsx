import type { Ctx, PageProps } from '@hull/shell/client'
import { requireReader } from '../../access/guard.ts'
import { NothingYet, OverviewView } from '../components/overview.tsx'
import { toView } from '../view.ts'
import { clipIssue } from '../view-models/clip.ts'

export const layout = 'inbox'

/** Maximum rows of each short list. */
const BRIEF = 5

export async function getData(ctx: Ctx) {
  const { server, search } = ctx
  const view = toView(search, Date.now())
  const { queries } = await requireReader(ctx)
  const overview = await queries.getOverview({ view })
  const brief = (issues: typeof overview.loudest) => issues.slice(0, BRIEF).map(clipIssue)
  return {
    view,
    newest: view.release === undefined ? overview.newest : [view.release],
    sample: server.inboxSetup.sample,
    overview: {
      ...overview,
      newInRelease: brief(overview.newInRelease),
      regressed: brief(overview.regressed),
      loudest: brief(overview.loudest)
    }
  }
}

export const getMeta = () => ({ title: 'Overview · Inbox', robots: 'noindex' })

export default function OverviewPage({ data: { overview, view, newest, sample } }: PageProps<typeof getData>) {
  if (overview.isEmpty) return <NothingYet sample={sample} />
  return <OverviewView overview={overview} view={view} newest={newest} />
}
