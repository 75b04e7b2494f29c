import type { Ctx, LayoutProps } from '@hull/shell/client'
import { HULL_VERSION } from '@hull/shell'
import { Frame, type NavItem } from '../components/frame.tsx'

export function getData({ server, pathname }: Ctx) {
  const { publicConfig, buildId } = server.hull
  const { isOpen, way } = server.inboxAccess
  // where a password is set, the navigation does not tell visitors of the inbox
  const inbox = isOpen && way === 'link'
  return { pathname, lab: publicConfig.lab, inbox, version: HULL_VERSION, buildId }
}

export default function DefaultLayout({
  data: { pathname, lab, inbox, version, buildId },
  children
}: LayoutProps<typeof getData>) {
  const nav: NavItem[] = [{ href: '/', label: 'Home', current: pathname === '/' ? 'page' : undefined }]
  if (lab)
    nav.push({
      href: '/lab',
      label: 'Lab',
      current: pathname === '/lab' ? 'page' : pathname.startsWith('/lab/') ? 'true' : undefined
    })
  if (inbox) nav.push({ href: '/inbox', label: 'Inbox' })
  return (
    <Frame
      nav={nav}
      foot={
        <>
          <span>{`Hull ${version}`}</span>
          <span>
            build <code>{buildId}</code>
          </span>
        </>
      }
    >
      {children}
    </Frame>
  )
}
