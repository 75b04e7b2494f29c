import { useRoute, type Ctx, type PageProps } from '@hull/shell/client'
import { requireReader } from '../../access/guard.ts'
import { LOG_LEVELS, type LogLevel, type LogRow } from '../../store/model.ts'
import { toView, withView } from '../view.ts'
import { clipLogs } from '../view-models/clip.ts'
import { toQuery } from '../view-models/list-params.ts'
import { toNames } from '../view-models/project-names.ts'
import { NewRows } from '../components/shared/new-rows.tsx'
import { SuggestingInput } from '../components/search/suggesting-input.tsx'
import { useLiveLogs } from '../components/shared/live.ts'
import { andAbove, countOf } from '../components/shared/format.ts'
import { Empty, KeyValues, PageHead, PlainPager } from '../components/shared/parts.tsx'
import { useRangeWords } from '../components/shared/pickers.tsx'
import { SearchForm } from '../components/search/search-form.tsx'
import { Text } from '../components/shared/text.tsx'
import { Time } from '../components/shared/time.tsx'
import { useStableList } from '../components/shared/use-stable-list.ts'
import '../components/logs.css'

export const layout = 'inbox'

/** Maximum characters of a search in an address. */
const MAX_QUERY = 500

export async function getData(ctx: Ctx) {
  const { search } = ctx
  const { queries } = await requireReader(ctx)
  const view = toView(search, Date.now())
  const query = toQuery(search.get('q') ?? '').slice(0, MAX_QUERY)
  const level = LOG_LEVELS.find((name) => name === search.get('level'))
  const trace = search.get('trace') ?? ''
  const traceId = /^[\da-f]{32}$/.test(trace) ? trace : undefined
  const cursor = search.get('cursor') ?? undefined
  const [projects, list] = await Promise.all([
    queries.listProjects(),
    queries.listLogs({ view, query, level, traceId, cursor })
  ])
  // New lines are shown at once.
  const isTail = cursor === undefined && search.get('tail') === 'on'
  return {
    view,
    query,
    level,
    traceId,
    isTail,
    projects: toNames(projects),
    list: { ...list, lines: clipLogs(list.lines) }
  }
}

export const getMeta = () => ({ title: 'Logs · Inbox', robots: 'noindex' })

type Data = PageProps<typeof getData>['data']

/** Minimum milliseconds between two updates of the list. */
const PAUSE = 2_000

/** Log lines, with a search and a live tail. */
export default function LogsPage({
  data: { view, query, level, traceId, isTail, projects, list }
}: PageProps<typeof getData>) {
  const { search } = useRoute()
  const words = useRangeWords(view)
  useLiveLogs(PAUSE)
  const isFirst = !search.has('cursor')
  const held = useStableList(list.lines, search.toString(), (shown, next) => (shown.length === 0 ? next : shown))
  const shown = isTail ? list.lines : held.shown
  const known = new Set(shown.map(({ id }) => id))
  const newLines = isFirst ? list.lines.filter(({ id }) => !known.has(id)).length : 0
  const toHref = (isTailOn: boolean) => {
    const fields = new URLSearchParams()
    for (const [name, value] of Object.entries({ q: query, level, trace: traceId, tail: isTailOn ? 'on' : undefined }))
      if (value) fields.set(name, value)
    return withView(`/inbox/logs?${fields}`, view)
  }
  return (
    <>
      <PageHead title={traceId === undefined ? `Logs, ${words}` : 'Logs of a trace'}>
        {traceId === undefined ? (
          <a className="button needs-script" href={toHref(!isTail)} aria-current={isTail ? 'true' : undefined}>
            {isTail ? 'Stop live tail' : 'Live tail'}
          </a>
        ) : (
          <p className="row">
            <a href={withView(`/inbox/traces/${traceId}`, view)}>Open the trace</a>
            <a href={withView('/inbox/logs', view)}>All logs</a>
          </p>
        )}
      </PageHead>
      <LogSearch view={view} query={query} level={level} traceId={traceId} isTail={isTail} />
      <NewRows
        text={newLines > 0 ? `Show ${countOf(newLines, 'new line')}` : undefined}
        show={held.showNext}
        row=".logs summary"
      />
      {shown.length === 0 ? (
        <Empty title="No log lines found">
          <p>
            Lines of <code>Sentry.logger.info()</code> appear here. A search finds words of a line, and attributes as{' '}
            <code>name=value</code>.
          </p>
        </Empty>
      ) : (
        <ol className="logs">
          {shown.map((line) => (
            <Line key={line.id} line={line} view={view} projects={projects} />
          ))}
        </ol>
      )}
      <PlainPager list={list} here={toHref(false)} />
    </>
  )
}

/** Levels, lowest first, with the kind of state that each looks like. */
const KINDS: Record<LogLevel, string> = {
  trace: 'quiet',
  debug: 'quiet',
  info: 'quiet',
  warn: 'warn',
  error: 'bad',
  fatal: 'bad'
}

function LogSearch({ view, query, level, traceId, isTail }: Omit<Data, 'projects' | 'list'>) {
  return (
    <SearchForm action="/inbox/logs" label="Logs" view={view}>
      {traceId !== undefined && <input type="hidden" name="trace" value={traceId} />}
      {isTail && <input type="hidden" name="tail" value="on" />}
      <SuggestingInput
        scope={{ logs: 'yes', project: view.project }}
        query={query}
        label="Search log lines"
        placeholder="words, name=value, -excluded"
        maxLength={500}
      />
      <select key={level} className="input" name="level" defaultValue={level ?? ''} aria-label="Lowest level">
        <option value="">All levels</option>
        {Object.keys(KINDS)
          .slice(1)
          .map((name) => (
            <option key={name} value={name}>
              {andAbove(name)}
            </option>
          ))}
      </select>
    </SearchForm>
  )
}

function Line({
  line: { project, at, level, body, attributes, traceId, environment },
  view,
  projects
}: Pick<Data, 'view' | 'projects'> & { line: LogRow }) {
  const origin = [
    ['project', projects.find(({ id }) => id === project)?.name ?? ''],
    ['environment', environment]
  ] as const
  const rows = [
    ...origin.filter(([, value]) => value !== ''),
    ...Object.entries(attributes).map(([name, value]) => [name, String(value)] as const)
  ]
  return (
    <li>
      <details>
        <summary>
          <span className="quiet logs-time">
            <Time at={at} />
          </span>
          <span className={`state state-${KINDS[level]}`}>{level}</span>
          <span className="logs-body">
            <Text max={300}>{body}</Text>
          </span>
        </summary>
        <div className="logs-detail">
          <pre className="sample">
            <Text>{body}</Text>
          </pre>
          {rows.length > 0 && <KeyValues label="Attributes" rows={rows} />}
          {traceId !== undefined && (
            <p>
              <a href={withView(`/inbox/traces/${traceId}`, view)}>Open the trace of this line</a>
            </p>
          )}
        </div>
      </details>
    </li>
  )
}
