import type { Ctx, PageProps } from '@hull/shell/client'
import { requireOverview } from '../../access/guard.ts'
import { diagnose } from '../../doctor/diagnose.ts'
import { toView } from '../view.ts'
import { DoctorView } from '../components/doctor-view.tsx'

export const layout = 'inbox'

/** The checks are about all projects together. */
export const guard = (ctx: Ctx) => requireOverview(ctx)

export async function getData({ server, search, log }: Ctx) {
  const now = Date.now()
  const { project } = toView(search, now)
  const inbox = server.inbox!
  // If the store cannot be queried, that is a failed check of its own.
  const health = await inbox.queries.getHealth({ project }).catch((err: unknown) => {
    log.warn({ err }, 'the health of the inbox could not be read')
    return undefined
  })
  const refused = server.inboxRefusals.list(now)
  const projects = health && refused.length > 0 ? await inbox.queries.listProjects() : []
  const tunnel = server.tunnel?.stats()
  const { hasOwnSecret, isShared, isAlone } = server.inboxSetup
  return {
    findings: diagnose({
      now,
      inbox: inbox.stats(),
      refusals: refused.map((refusal) => ({
        ...refusal,
        projectName: projects.find(({ id }) => id === refusal.project)?.name
      })),
      hasOwnSecret,
      isShared,
      isAlone,
      ...(health && { health }),
      ...(tunnel && { tunnel })
    })
  }
}

export const getMeta = () => ({ title: 'Doctor · Inbox', robots: 'noindex' })

export default function DoctorPage({ data }: PageProps<typeof getData>) {
  return <DoctorView {...data} />
}
