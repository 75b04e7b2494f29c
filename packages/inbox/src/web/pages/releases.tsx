import type { Ctx, PageProps } from '@hull/shell/client'
import { requireReader } from '../../access/guard.ts'
import { toView, withView, type InboxView } from '../view.ts'
import { encodedLength } from '../view-models/clip.ts'
import { toNames } from '../view-models/project-names.ts'
import { Fragment } from 'react'
import { writeExactFilter } from '../search/index.ts'
import type { CommitRow, DeployRow, ReleaseRow } from '../../queries/releases/release-types.ts'
import { Bars } from '../components/charts/bars.tsx'
import { Count } from '../components/shared/count.tsx'
import { countOf, formatShare } from '../components/shared/format.ts'
import { Empty, InProject, PageHead } from '../components/shared/parts.tsx'
import { useRangeWords } from '../components/shared/pickers.tsx'
import { CountCell, Table } from '../components/shared/table.tsx'
import { OptionalLink, Text } from '../components/shared/text.tsx'
import { TimeAgo } from '../components/shared/time.tsx'
import '../components/releases.css'

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
    releases: releases.slice(0, RELEASES).map((release): ReleaseRow => {
      const { commits, deploys, ...figures } = release
      left -= encodedLength(JSON.stringify([commits, deploys]))
      return left < 0 ? figures : release
    })
  }
}

export const getMeta = () => ({ title: 'Releases · Inbox', robots: 'noindex' })

type Data = PageProps<typeof getData>['data']

/** Releases, each with its start, adoption and issues. */
export default function ReleasesPage({ data: { view, projects, releases, hasMore } }: PageProps<typeof getData>) {
  const words = useRangeWords(view)
  return (
    <>
      <PageHead title="Releases">
        {releases.length > 0 && (
          <p className="quiet">
            {hasMore && `The newest ${releases.length}. `}
            {`Sessions and errors: ${words} · adoption: last day of the range · issues: total`}
          </p>
        )}
      </PageHead>
      {releases.length === 0 ? (
        <Empty title="No releases yet">
          <p>
            A release appears when it starts or sends its first event. <code>RELEASE</code> sets its name; the default
            is the build id.
          </p>
        </Empty>
      ) : (
        <Releases view={view} projects={projects} releases={releases} />
      )}
    </>
  )
}

function Releases({ view, projects, releases }: Omit<Data, 'hasMore'>) {
  const most = Math.max(1, ...releases.flatMap(({ series }) => series.points.map((point) => point ?? 0)))
  // Only build tools send deploys and commits.
  const hasDeploys = releases.some(({ deploys, commits }) => deploys || commits)
  return (
    <Table
      columns={[
        'Release',
        'First seen',
        ...(hasDeploys ? ['Deployed'] : []),
        'Adoption',
        { label: 'Sessions', className: 'number' },
        { label: 'Sessions over time', className: 'releases-shape', isHidden: true },
        { label: 'Crash-free', className: 'number' },
        { label: 'New issues', className: 'number' },
        { label: 'Regressed', className: 'number' },
        { label: 'Errors', className: 'number' }
      ]}
      className="releases"
    >
      {releases.map((release) => (
        <Row key={release.id} release={release} view={view} projects={projects} most={most} hasDeploys={hasDeploys} />
      ))}
    </Table>
  )
}

/** Shares of sessions without a crash below which a release needs attention, and below which it is bad. Our choice. */
const FAIR = 0.995
const BAD = 0.98

interface RowProps extends Pick<Data, 'view' | 'projects'> {
  release: ReleaseRow
  /** Maximum sessions of a point. */
  most: number
  /** Whether there is a column for deploys and commits. */
  hasDeploys: boolean
}

function Row({ release, view, projects, most, hasDeploys }: RowProps) {
  const { version, firstSeen, lastSeen, sessions, crashFree, newIssues, regressions, errors, adoption, series } =
    release
  const { commit, commitHref, deploys = [], commits = [] } = release
  // The counts are totals of the release's project, but the list shows the issues of a view.
  const whole: InboxView = {
    ...view,
    environment: undefined,
    ...(projects.length > 0 && { project: release.project }),
    ...(firstSeen < view.since && { range: 'custom', since: firstSeen })
  }
  const isRunning = adoption !== undefined && adoption > 0.005
  return (
    <tr>
      <th scope="row">
        <a className="row-name" href={withView('/inbox', { ...view, release: version })}>
          <Text max={40}>{version}</Text>
        </a>
        {commitHref !== undefined && (
          <a className="releases-commit" href={commitHref} rel="noreferrer">
            Commit {commit!.slice(0, 7)}
          </a>
        )}
        {projects.length > 0 && (
          <span className="releases-project">
            <InProject id={release.project} projects={projects} />
          </span>
        )}
      </th>
      <td data-label="First seen">
        <TimeAgo at={firstSeen} />
        {!isRunning && (
          <span className="releases-last">
            last seen <TimeAgo at={lastSeen} />
          </span>
        )}
      </td>
      {hasDeploys && (
        <td className="releases-deployed" data-label="Deployed">
          {deploys.length > 0 ? <Deploys deploys={deploys} /> : <span className="quiet">–</span>}
          {commits.length > 0 && <Commits commits={commits} />}
        </td>
      )}
      <td data-label="Adoption">
        {adoption === undefined ? (
          <span className="quiet">no sessions</span>
        ) : (
          <span className="adoption">
            <svg className="adoption-bar" width="64" height="6" aria-hidden="true">
              <rect className="adoption-ground" width="64" height="6" rx="1" />
              <rect width={Math.round(adoption * 64)} height="6" rx="1" />
            </svg>
            <span className={isRunning ? undefined : 'quiet'}>{formatShare(adoption)}</span>
          </span>
        )}
      </td>
      <CountCell label="Sessions" of={sessions} />
      <td className="releases-shape">
        {sessions > 0 && (
          <Bars
            points={series.points}
            max={most}
            label={`${countOf(sessions, 'session')} in the selected time range`}
          />
        )}
      </td>
      <td className="number" data-label="Crash-free">
        {crashFree === undefined ? <span className="quiet">–</span> : <CrashFree share={crashFree} />}
      </td>
      <td className="number" data-label="New issues">
        <Found
          count={newIssues}
          href={issuesHref(writeExactFilter({ name: 'introduced', value: version }), whole)}
          kind="new"
        />
      </td>
      <td className="number" data-label="Regressed">
        <Found
          count={regressions}
          href={issuesHref(`is:regressed ${writeExactFilter({ name: 'release', value: version })}`, whole)}
          kind="regressed"
        />
      </td>
      <CountCell label="Errors" of={errors} />
    </tr>
  )
}

/** `production 3 min ago, staging 1 h ago`. */
function Deploys({ deploys }: { deploys: DeployRow[] }) {
  return (
    <p className="releases-deploys">
      {deploys.map(({ id, environment, url, finished }, at) => (
        <Fragment key={id}>
          {at > 0 && ', '}
          <OptionalLink href={url} rel="noreferrer">
            <Text max={40}>{environment}</Text>
          </OptionalLink>{' '}
          <TimeAgo at={finished} />
        </Fragment>
      ))}
    </p>
  )
}

function Commits({ commits }: { commits: CommitRow[] }) {
  return (
    <details className="releases-commits">
      <summary>{countOf(commits.length, 'commit')}</summary>
      <ul>
        {commits.map(({ id, title, author, href }) => (
          <li key={id}>
            <OptionalLink href={href} rel="noreferrer">
              <code>{id.slice(0, 7)}</code>
            </OptionalLink>{' '}
            <Text max={80}>{title}</Text>
            {author !== undefined && (
              <span className="quiet">
                {' by '}
                <Text max={60}>{author}</Text>
              </span>
            )}
          </li>
        ))}
      </ul>
    </details>
  )
}

function CrashFree({ share }: { share: number }) {
  const kind = share >= FAIR ? 'good' : share >= BAD ? 'warn' : 'bad'
  return <span className={`state state-${kind}`}>{formatShare(share)}</span>
}

const issuesHref = (query: string, view: InboxView) =>
  withView(`/inbox/issues?q=${encodeURIComponent(query)}`, { ...view, release: undefined })

function Found({ count, href, kind }: { count: number; href: string; kind: string }) {
  return count === 0 ? (
    <span className="quiet">0</span>
  ) : (
    <a href={href} aria-label={`${count} ${kind}`}>
      <Count of={count} />
    </a>
  )
}
