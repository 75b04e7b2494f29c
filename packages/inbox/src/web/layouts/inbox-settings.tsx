import type { Ctx, LayoutProps } from '@hull/shell/client'
import { requireAdmin } from '../../access/guard.ts'
import { Tabs } from '../components/parts.tsx'
import '../styles/inbox-settings.css'

export const layout = 'inbox'

export const guard = (ctx: Ctx) => requireAdmin(ctx)

export const getData = ({ pathname }: Ctx) => ({ pathname })

const PARTS = [
  ['/inbox/settings', 'Projects', /^\/inbox\/settings(\/projects|$)/],
  ['/inbox/settings/people', 'People', /^\/inbox\/settings\/people/],
  ['/inbox/settings/alerts', 'Alerts', /^\/inbox\/settings\/alerts/],
  ['/inbox/settings/tokens', 'Tokens', /^\/inbox\/settings\/tokens$/],
  ['/inbox/settings/audit', 'Audit log', /^\/inbox\/settings\/audit$/],
  ['/inbox/settings/storage', 'Storage', /^\/inbox\/settings\/storage$/]
] as const

/** Layout of the settings, for admins. */
export default function InboxSettingsLayout({ data: { pathname }, children }: LayoutProps<typeof getData>) {
  return (
    <div className="settings">
      <header className="page-head">
        <h1>Settings</h1>
        <Tabs
          label="Settings"
          tabs={PARTS.map(([href, label, pattern]) => ({ href, label, isCurrent: pattern.test(pathname) }))}
        />
      </header>
      {children}
    </div>
  )
}
