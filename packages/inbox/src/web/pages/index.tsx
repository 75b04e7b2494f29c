import type { Ctx, PageProps } from '@hull/shell/client'
import { requireReader } from '../../access/guard.ts'
import { seesAll } from '../../access/roles.ts'
import { NothingYet, OverviewView } from '../components/overview.tsx'
import { toView } from '../view.ts'
import { clipIssue } from '../view-models/clip.ts'

export const layout = 'inbox'

/** Maximum rows of each short list. */
const BRIEF = 5

export async function getData(ctx: Ctx) {
  const { server, search } = ctx
  const view = toView(search, Date.now())
  const { queries, person } = await requireReader(ctx)
  const overview = await queries.getOverview({ view })
  const brief = (issues: typeof overview.mostFrequent) => issues.slice(0, BRIEF).map(clipIssue)
  return {
    view,
    newest: view.release === undefined ? overview.newest : [view.release],
    first: {
      sample: server.inboxSetup.sample,
      isAlone: server.inboxSetup.isAlone,
      canCreate: person.role === 'admin',
      seesDoctor: seesAll(person)
    },
    overview: {
      ...overview,
      newInRelease: brief(overview.newInRelease),
      regressed: brief(overview.regressed),
      mostFrequent: brief(overview.mostFrequent)
    }
  }
}

export const getMeta = () => ({ title: 'Overview · Inbox', robots: 'noindex' })

export default function OverviewPage({ data: { overview, view, newest, first } }: PageProps<typeof getData>) {
  if (overview.isEmpty) return <NothingYet {...first} />
  return <OverviewView overview={overview} view={view} newest={newest} />
}
