import type { PageProps, Ctx } from '@hull/shell/client'
import { HULL_VERSION } from '@hull/shell'
import { DescriptionList } from '../components/description-list.tsx'
import { formatDuration, formatMegabytes, useLocalTime } from '../components/format.ts'
import { HealthLine } from '../components/health-line.tsx'
import { NextSteps, type InboxState } from '../components/next-steps.tsx'

export function getData({ server }: Ctx) {
  const { publicConfig, buildId } = server.hull
  const uptime = process.uptime()
  return {
    lab: publicConfig.lab,
    inbox: toInboxState(server),
    version: HULL_VERSION,
    buildId,
    node: process.versions.node,
    uptime,
    started: Math.round(Date.now() - uptime * 1000),
    memory: process.memoryUsage.rss()
  }
}

/** Where errors go, and whether anybody here may look at them. */
function toInboxState({ inbox, inboxAccess, hull }: Ctx['server']): InboxState {
  if (!inbox) return hull.config.sentryDsn === undefined ? 'off' : 'elsewhere'
  return inboxAccess.isOpen ? (inboxAccess.way === 'link' ? 'link' : 'password') : 'closed'
}

export const getMeta = () => ({ title: 'Hull', description: 'A server-rendered React application shell on Fastify.' })

export default function HomePage({
  data: { lab, inbox, version, buildId, node, uptime, started, memory }
}: PageProps<typeof getData>) {
  const since = useLocalTime(started)
  return (
    <div className="home">
      <header className="home-head">
        <h1>Hull is running</h1>
        <HealthLine />
      </header>
      <DescriptionList
        items={[
          { term: 'Version', value: version },
          { term: 'Build', value: <code>{buildId}</code> },
          { term: 'Node', value: node },
          { term: 'Up', value: formatDuration(uptime), title: `since ${since}` },
          { term: 'Memory', value: formatMegabytes(memory), title: 'resident set of the process' }
        ]}
      />
      <section className="stack stack-close" aria-labelledby="next">
        <h2 id="next">What to do next</h2>
        <NextSteps lab={lab} inbox={inbox} />
      </section>
    </div>
  )
}
