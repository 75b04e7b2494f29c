import type { Ctx, LayoutProps } from '#shell'
import { HULL_VERSION } from '../../lib/version.ts'
import { Frame, type NavItem } from '../components/frame.tsx'

export function getData({ server, pathname }: Ctx) {
  const { publicConfig, buildId } = server.hull
  return { pathname, lab: publicConfig.lab, version: HULL_VERSION, buildId }
}

export default function DefaultLayout({
  data: { pathname, lab, version, buildId },
  children
}: LayoutProps<typeof getData>) {
  const nav: NavItem[] = [{ href: '/', label: 'Home', current: pathname === '/' ? 'page' : undefined }]
  if (lab)
    nav.push({
      href: '/lab',
      label: 'Lab',
      current: pathname === '/lab' ? 'page' : pathname.startsWith('/lab/') ? 'true' : undefined
    })
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
