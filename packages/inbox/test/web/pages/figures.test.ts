import t from 'tap'
import type { IssueRow } from '../../../src/queries/issues/issue-types.ts'
import { openScreens } from '../../helpers/screens.ts'

const DAY = 86_400_000

const sum = (points: readonly (number | null)[]) => points.reduce<number>((all, point) => all + (point ?? 0), 0)
const idOf = ({ id }: IssueRow) => id
const numberOf = (text: string) => Number(text.replaceAll(',', ''))

/** Ids and numbers of events in the rows of a list, from its HTML. */
const listed = (html: string) =>
  [...html.matchAll(/<tr data-row="(\d+)".*?<td class="number">([\d,]+)</gs)].map(
    ([, id, events]) => [Number(id), numberOf(events!)] as const
  )

t.test('figures of the same issues, releases and routes are equal on all pages', async (t) => {
  const { app, admin } = await openScreens(t)
  const { queries } = app.inbox!

  for (const [range, days] of [
    ['24h', 1],
    ['7d', 7],
    ['30d', 30]
  ] as const)
    t.test(`over ${range}`, async (t) => {
      const until = Date.now()
      const view = { since: until - days * DAY, until }
      const overview = await queries.getOverview({ view })
      const { issues, next } = await queries.listIssues({ view, query: '', sort: 'events', limit: 200 })
      t.equal(next, undefined)

      const open = issues.filter(({ state }) => state === 'unresolved' || state === 'regressed')
      for (const issue of issues) {
        const { series } = await queries.getIssueSeries({ id: issue.id, view })
        t.same([issue.eventsInRange, issue.points], [sum(series.points), series.points], issue.value)
      }
      t.same(
        issues.map(({ eventsInRange }) => eventsInRange),
        issues.map(({ eventsInRange }) => eventsInRange).toSorted((a, b) => b - a),
        'sorted by the number that is shown'
      )
      t.ok(
        issues.some(({ events, eventsInRange }) => events > eventsInRange) || days === 30,
        'the number in the range, not the total'
      )
      const errors = issues.filter(({ level }) => level === 'error' || level === 'fatal')
      t.equal(
        errors.reduce((all, { eventsInRange }) => all + eventsInRange, 0),
        overview.errors.total,
        'the errors of the overview are those of the issues'
      )
      for (const { version, errors: count } of (await queries.listReleases({ view, limit: 100 })).slice(0, 3)) {
        const { errors: same } = await queries.getOverview({ view: { ...view, release: version } })
        t.equal(count, same.total, `the errors of ${version}`)
      }

      t.same(
        overview.mostFrequent.map(idOf),
        open.slice(0, 5).map(idOf),
        'the most frequent issues are the first ones of the list'
      )
      t.same(
        overview.newInRelease.filter(({ state }) => state === 'regressed'),
        [],
        'regressed issues are not new'
      )
      const { counts } = await queries.listIssues({ view })
      for (const state of ['unresolved', 'regressed', 'resolved', 'ignored'] as const) {
        const tab = await queries.listIssues({ view, query: `is:${state}`, limit: 200 })
        t.equal(counts![state], tab.issues.length, `the tab ${state}`)
      }

      const list = listed((await admin.get(`/inbox/issues?range=${range}&sort=events`)).body)
      t.ok(list.length > 0)
      t.same(
        list.slice(0, 5),
        open.slice(0, 5).map(({ id, eventsInRange }) => [id, eventsInRange])
      )
      const { body } = await admin.get(`/inbox?range=${range}`)
      const briefs = body.slice(body.indexOf('Most frequent')).split('<li data-row="').slice(1)
      t.same(
        briefs.map((brief) => [
          Number.parseInt(brief, 10),
          numberOf(/brief-figures"><p>(?:<span[^>]*>)?([\d,]+)/.exec(brief)![1]!)
        ]),
        open.slice(0, 5).map(({ id, eventsInRange }) => [id, eventsInRange])
      )
    })

  const until = Date.now()
  for (const [name, view] of [
    ['24 hours', { since: until - DAY, until }],
    ['7 days', { since: until - 7 * DAY, until }],
    ['30 days', { since: until - 30 * DAY, until }],
    ['fixed times', { since: until - 8.3 * DAY, until: until - 2.6 * DAY, range: 'custom' }]
  ] as const)
    t.test(`requests to the server in ${name}`, async (t) => {
      const { server } = await queries.getOverview({ view })
      const routes = await queries.listRoutes({ view, side: 'server' })
      t.ok(server.requests > 0)
      t.equal(
        routes.reduce((all, { requests }) => all + requests, 0),
        server.requests,
        'the routes have as many requests as the overview'
      )
      const { route, side, requests } = routes[0]!
      const { counts } = await queries.getHeatMap({ view, route, side })
      t.equal(sum(counts.flat()), requests, 'the heat map shows the requests of its route')
    })
})
