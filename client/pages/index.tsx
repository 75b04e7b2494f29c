import type { PageProps, Ctx } from '@hull/shell/client'
import { HULL_VERSION } from '@hull/shell'
import { DescriptionList } from '../components/description-list.tsx'
import { formatDuration, useLocalTime } from '../components/format.ts'
import { HealthLine } from '../components/health-line.tsx'
import { InboxStep } from '../components/inbox-step.tsx'
import { LabStep } from '../components/lab/lab-step.tsx'
import { AddPageStep } from '../components/next-steps.tsx'

export function getData({ server }: Ctx) {
  const { buildId } = server.hull
  const uptime = process.uptime()
  return {
    lab: server.hull.config.lab,
    inbox: server.inboxState(),
    version: HULL_VERSION,
    buildId,
    node: process.versions.node,
    uptime,
    started: Math.round(Date.now() - uptime * 1000)
  }
}

export const getMeta = () => ({
  title: 'Hull',
  description: 'A framework for server-rendered React applications on Fastify.'
})

export default function HomePage({ data }: PageProps<typeof getData>) {
  const { version, buildId, node, uptime, started } = data
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
          { term: 'Up', value: formatDuration(uptime), title: `since ${since}` }
        ]}
      />
      <section className="stack stack-close" aria-labelledby="next">
        <h2 id="next">Next steps</h2>
        <ol className="home-next">
          <AddPageStep />
          <LabStep isOn={data.lab} />
          <InboxStep state={data.inbox} />
        </ol>
      </section>
    </div>
  )
}
