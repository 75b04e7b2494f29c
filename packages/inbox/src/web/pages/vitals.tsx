import type { Ctx, PageProps } from '@hull/shell/client'
import { requireReader } from '../../access/guard.ts'
import { toView, withView, type InboxView } from '../view.ts'
import { rateVital, VITAL_BOUNDS, type VitalName } from '../vitals.ts'
import type { VitalBand } from '../../queries/performance/performance-types.ts'
import { Count } from '../components/shared/count.tsx'
import { DAY } from '@hull/common/time.ts'
import { countOf, formatShare } from '../components/shared/format.ts'
import { Empty, PageHead, SampleLink, Section } from '../components/shared/parts.tsx'
import { useRangePhrase, useRangeWords } from '../components/shared/pickers.tsx'
import { Table } from '../components/shared/table.tsx'
import { Text } from '../components/shared/text.tsx'
import { Trend } from '../components/charts/trend.tsx'
import { formatVital, RATING_STATES, RATING_WORDS, VITAL_WORDS } from '../components/vital.ts'
import '../components/vitals.css'

export const layout = 'inbox'

/** Maximum pages in the table, and maximum characters of a page in an address. */
const PAGES = 60
const MAX_PAGE = 300

export async function getData(ctx: Ctx) {
  const { server, search } = ctx
  const view = toView(search, Date.now())
  const requested = search.get('page')
  const page = requested !== null && requested !== '' && requested.length <= MAX_PAGE ? requested : undefined
  const { queries } = await requireReader(ctx)
  const [rows, trend] = await Promise.all([queries.listVitals({ view }), queries.listVitalTrend({ view, page })])
  const { sample } = server.inboxSetup
  return { view, page, rows: rows.slice(0, PAGES), more: Math.max(0, rows.length - PAGES), trend, sample }
}

export const getMeta = () => ({ title: 'Vitals · Inbox', robots: 'noindex' })

type Data = PageProps<typeof getData>['data']

const SHOWN = ['LCP', 'INP', 'CLS', 'TTFB'] as const satisfies VitalName[]

/** 75th percentile of each vital per page, and its trend by release. */
export default function VitalsPage({ data: { view, page, rows, more, trend, sample } }: PageProps<typeof getData>) {
  const words = useRangeWords(view)
  const trendWords = useRangeWords(toTrendView(view))
  if (rows.length === 0) return <NoVitals view={view} sample={sample} />
  return (
    <>
      <PageHead title={`Web vitals, ${words}`}>
        <ul className="vitals-legend" aria-label="Legend">
          <li className="state state-good">good</li>
          <li className="state state-warn">needs improvement</li>
          <li className="state state-bad">poor</li>
        </ul>
      </PageHead>
      <Section
        id="trend"
        title="Trend over releases"
        aside={
          page === undefined ? (
            <span>{`p75 of all pages, ${trendWords}`}</span>
          ) : (
            <span>
              p75 of <Text max={60}>{page}</Text>
              {`, ${trendWords} · `}
              <a href={withView('/inbox/vitals', view)} data-keep-scroll>
                all pages
              </a>
            </span>
          )
        }
      >
        <div className="trends">
          {SHOWN.map((vital) => (
            <Trend key={vital} vital={vital} trend={trend} />
          ))}
        </div>
      </Section>
      <Section id="pages" title="Pages" aside={<span>p75: 75 % of visits had this value or better</span>}>
        <Table
          columns={[
            'Page',
            ...SHOWN.map((vital) => ({ label: vital, title: VITAL_WORDS[vital] })),
            { label: 'Visits', className: 'number' }
          ]}
          className="vitals"
        >
          {rows.map((row) => (
            <tr key={row.page} aria-current={row.page === page ? 'true' : undefined}>
              <th scope="row">
                <PageLink page={row.page} view={view} />
              </th>
              {SHOWN.map((vital) => (
                <td key={vital} data-vital={vital}>
                  <Band vital={vital} band={row.vitals[vital]} />
                </td>
              ))}
              <td className="number vitals-visits">
                <Count of={row.samples} />
                <span className="vitals-unit">{row.samples === 1 ? ' visit' : ' visits'}</span>
              </td>
            </tr>
          ))}
        </Table>
        {more > 0 && <p className="quiet">{`${countOf(more, 'page')} with fewer visits not listed.`}</p>}
      </Section>
    </>
  )
}

/** Range of the trend, which is at least 30 days: a short range has a single release. */
function toTrendView(view: InboxView): InboxView {
  const since = view.until - 30 * DAY
  if (view.since <= since) return view
  return view.range === 'custom' ? { ...view, since } : { ...view, range: '30d' }
}

const PageLink = ({ page, view }: { page: string; view: InboxView }) => (
  <a className="row-name" href={withView(`/inbox/vitals?page=${encodeURIComponent(page)}`, view)} data-keep-scroll>
    <Text max={80}>{page}</Text>
  </a>
)

function Band({ vital, band }: { vital: VitalName; band?: VitalBand }) {
  if (!band) return <span className="quiet">–</span>
  const { p75, samples, good, middling, poor } = band
  const rating = rateVital(vital, p75)
  const [first, second] = [good * 100, (good + middling) * 100]
  const words = `${formatShare(good)} good, ${formatShare(middling)} need improvement, ${formatShare(poor)} poor, of ${countOf(samples, 'visit')}`
  return (
    <div className="band" title={words}>
      <span className={`state state-${RATING_STATES[rating]}`}>
        <span className="band-value">{formatVital(vital, p75)}</span>
        <span className="visually-hidden">{`, ${RATING_WORDS[rating]}`}</span>
      </span>
      <svg className="band-bar" height="6" role="img" aria-label={words}>
        {good > 0 && <rect className="band-good" width={percent(first)} height="6" />}
        {middling > 0 && (
          <rect className="band-middling" x={percent(first)} width={percent(second - first)} height="6" />
        )}
        {poor > 0 && <rect className="band-poor" x={percent(second)} width={percent(100 - second)} height="6" />}
      </svg>
    </div>
  )
}

const percent = (share: number) => `${Math.max(0, Math.round(share * 10) / 10)}%`

function NoVitals({ view, sample }: Pick<Data, 'view' | 'sample'>) {
  const range = useRangePhrase(view)
  return (
    <>
      <PageHead title="Web vitals" />
      <Empty title={`No web vitals ${range}`}>
        <p>Browsers send the web vitals of a page with the trace of its load: open a page, click, and leave it.</p>
        <SampleLink link={sample?.page} />
        <dl className="vitals-words">
          {SHOWN.map((vital) => (
            <div key={vital}>
              <dt>{vital}</dt>
              <dd>{`${VITAL_WORDS[vital]}. Good up to ${formatVital(vital, VITAL_BOUNDS[vital].good)}.`}</dd>
            </div>
          ))}
        </dl>
      </Empty>
    </>
  )
}
