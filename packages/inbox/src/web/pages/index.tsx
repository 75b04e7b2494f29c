import { formatBytes } from '@hull/common/format-bytes.ts'
import type { Ctx, PageProps } from '@hull/shell/client'
import { requireReader } from '../../access/guard.ts'
import { seesAll } from '../../access/roles.ts'
import { toView, withView } from '../view.ts'
import { clipIssue } from '../view-models/clip.ts'
import { LinkButton } from '../components/shared/controls.tsx'
import { rateVital, VITAL_BOUNDS, type VitalName } from '../vitals.ts'
import type { Overview } from '../../queries/overview/overview-types.ts'
import { IssueBrief } from '../components/issues/issue-brief.tsx'
import { Lanes, type Lane } from '../components/charts/lanes.tsx'
import { countOf, formatCount, formatMs, formatShare, span, withCommas } from '../components/shared/format.ts'
import { Empty, PageHead } from '../components/shared/parts.tsx'
import { useRangePhrase, useRangeWords } from '../components/shared/pickers.tsx'
import { useLive } from '../components/shared/live.ts'
import { Text } from '../components/shared/text.tsx'
import { TimeAgo } from '../components/shared/time.tsx'
import { RATING_STATES, RATING_WORDS } from '../components/vital.ts'
import { HOUR } from '@hull/common/time.ts'
import '../components/overview.css'

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

/** Minimum milliseconds between two updates. */
const OVERVIEW_PAUSE = 5_000

type Data = PageProps<typeof getData>['data']

export default function OverviewPage({ data: { overview, view, newest, first } }: PageProps<typeof getData>) {
  if (overview.isEmpty) return <NothingYet {...first} />
  return <OverviewView overview={overview} view={view} newest={newest} />
}

/** Five charts, and three short lists of the most important issues. */
function OverviewView({ overview, view, newest }: Pick<Data, 'overview' | 'view' | 'newest'>) {
  useLive(OVERVIEW_PAUSE)
  const { newInRelease, regressed, mostFrequent, releases } = overview
  const words = useRangeWords(view)
  const range = useRangePhrase(view)
  return (
    <>
      <PageHead title={`Overview, ${words}`}>{overview.storage && <StorageLine {...overview.storage} />}</PageHead>
      <Lanes lanes={toLanes(overview)} releases={releases} />
      <div className="briefs">
        <IssueBrief
          id="new"
          title={newTitle(newest.length)}
          aside={newest.length === 1 && <Text max={30}>{newest[0]!}</Text>}
          issues={newInRelease}
          none="No new issues."
          view={view}
          more={withView('/inbox/issues?q=is%3Aunresolved&sort=first', view)}
        />
        <IssueBrief
          id="regressed"
          title="Regressed"
          issues={regressed}
          none="No regressions."
          view={view}
          more={withView('/inbox/issues?q=is%3Aregressed', view)}
        />
        <IssueBrief
          id="most-frequent"
          title="Most frequent"
          issues={mostFrequent}
          none={`No unresolved issues ${range}.`}
          view={view}
          more={withView('/inbox/issues?sort=events', view)}
        />
      </div>
    </>
  )
}

const newTitle = (releases: number) =>
  releases === 0 ? 'New' : releases === 1 ? 'New in this release' : 'New in the newest releases'

function toLanes({ errors, visitors, crashFree, inp, lcp, server }: Overview): Lane[] {
  const lowest = Math.min(1, ...crashFree.series.points.filter((point) => point !== null))
  return [
    toCountLane('Errors', errors),
    toCountLane('Affected visitors', visitors),
    {
      name: 'Crash-free sessions',
      value: crashFree.share === undefined ? '–' : formatShare(crashFree.share),
      note: crashFree.sessions > 0 ? `of ${formatCount(crashFree.sessions)}` : 'No sessions yet',
      series: crashFree.series,
      kind: 'line',
      // a tenth of a percent matters, so the lane begins just below the lowest value
      scale: [lowest - Math.max((1 - lowest) * 0.2, 0.001), 1],
      format: formatShare
    },
    toVitalLane('INP', inp),
    toVitalLane('LCP', lcp),
    {
      name: 'Server, p95',
      value: server.p95 === undefined ? '–' : formatMs(server.p95),
      note: countOf(server.requests, 'traced request'),
      series: server.series,
      kind: 'line',
      format: formatMs
    }
  ]
}

const toCountLane = (name: string, { total, series }: Overview['errors']): Lane => ({
  name,
  value: formatCount(total),
  note: peakOf(series),
  series,
  kind: 'bars',
  format: withCommas
})

function toVitalLane(name: VitalName, { p75, series }: Overview['inp']): Lane {
  const { good } = VITAL_BOUNDS[name]
  return {
    name: `${name}, p75`,
    value: p75 === undefined ? '–' : formatMs(p75),
    note: <VitalWord name={name} ms={p75} />,
    series,
    kind: 'line',
    // the lane reaches at least to 1.5 times the bound of good values
    scale: [0, Math.max(good * 1.5, ...series.points.map((point) => point ?? 0))],
    bound: good,
    format: formatMs
  }
}

function peakOf({ points, step }: Overview['errors']['series']): string | undefined {
  const peak = Math.max(0, ...points.map((point) => point ?? 0))
  if (peak === 0) return undefined
  const time = step === HOUR ? 'an hour' : step === 24 * HOUR ? 'a day' : `in ${span(step)}`
  return `at most ${formatCount(peak)} ${time}`
}

function VitalWord({ name, ms }: { name: VitalName; ms?: number }) {
  if (ms === undefined) return <span>{`${name} unknown`}</span>
  const rating = rateVital(name, ms)
  return <span className={`state state-${RATING_STATES[rating]}`}>{`${name} ${RATING_WORDS[rating]}`}</span>
}

function StorageLine({ bytes, maxBytes, retentionDays, oldest, events }: NonNullable<Overview['storage']>) {
  return (
    <p className="quiet small">
      {`${countOf(events, 'event')} in ${formatBytes(bytes)}${maxBytes > 0 ? ` of ${formatBytes(maxBytes)}` : ''}, kept for ${countOf(retentionDays, 'day')}`}
      {oldest !== undefined && (
        <>
          ; oldest event <TimeAgo at={oldest} />
        </>
      )}
    </p>
  )
}

/** Shown before any data has arrived. */
function NothingYet({ sample, isAlone, canCreate, seesDoctor }: Data['first']) {
  useLive(1_000)
  return (
    <>
      <PageHead title="Overview" />
      <Empty title="No errors yet">
        <p>
          Errors from {isAlone ? 'your services' : 'your pages and your server'} appear here within seconds, with the
          source line, the affected visitors and the release. {!isAlone && 'No setup is needed.'}
        </p>
        {sample && (
          <p className="row">
            <LinkButton kind="main" href={sample.error.href} label={sample.error.label} />
            <a href={sample.page.href}>{sample.page.label}</a>
          </p>
        )}
        {canCreate && (
          <p className="small">
            {isAlone ? 'Services report with any Sentry SDK: ' : 'Other services can report here too: '}
            <a href="/inbox/settings">{isAlone ? 'open a project' : 'create a project'}</a> and use its DSN in
            {isAlone ? ' the SDK.' : ' any Sentry SDK.'}
          </p>
        )}
        {seesDoctor && (
          <p className="small">
            If events are missing, the <a href="/inbox/doctor">doctor</a> shows why.
          </p>
        )}
      </Empty>
    </>
  )
}
