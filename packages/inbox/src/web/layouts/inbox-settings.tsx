import type { Ctx, LayoutProps } from '@hull/shell/client'
import { requireReader } from '../../access/guard.ts'
import { highestRole } from '../../access/roles.ts'
import { FlashMessageView } from '../components/shared/flash-message.tsx'
import { PageHead, Tabs } from '../components/shared/parts.tsx'
import { takeFlashMessage } from '../view-models/flash-message.ts'
import '../styles/inbox-settings.css'

export const layout = 'inbox'

export const guard = (ctx: Ctx) => requireReader(ctx, 'member')

export async function getData(ctx: Ctx) {
  const { person } = await requireReader(ctx, 'member')
  const flash = await takeFlashMessage(ctx.server.inbox!, ctx)
  return { pathname: ctx.pathname, role: person.role, highest: highestRole(person), flash }
}

const PARTS = [
  ['/inbox/settings', 'Projects', /^\/inbox\/settings(\/projects|$)/, 'project admin'],
  ['/inbox/settings/people', 'People', /^\/inbox\/settings\/people/, 'admin'],
  ['/inbox/settings/alerts', 'Alerts', /^\/inbox\/settings\/alerts/, 'admin'],
  ['/inbox/settings/tokens', 'Tokens', /^\/inbox\/settings\/tokens$/, 'member'],
  ['/inbox/settings/audit', 'Audit log', /^\/inbox\/settings\/audit$/, 'admin'],
  ['/inbox/settings/storage', 'Storage', /^\/inbox\/settings\/storage$/, 'admin']
] as const

/** Layout of the settings. Members see their tokens, admins of a project also that project, other admins everything. */
export default function InboxSettingsLayout({ data, children }: LayoutProps<typeof getData>) {
  const { pathname, role, highest, flash } = data
  const shown = PARTS.filter(
    ([, , , who]) => role === 'admin' || who === 'member' || (who === 'project admin' && highest === 'admin')
  )
  return (
    <div className="settings">
      <PageHead title="Settings">
        <Tabs
          label="Settings"
          tabs={shown.map(([href, label, pattern]) => ({ href, label, isCurrent: pattern.test(pathname) }))}
        />
      </PageHead>
      <FlashMessageView key={pathname} flash={flash} action={pathname} />
      {children}
    </div>
  )
}
