import type { Ctx, LayoutProps } from '@hull/shell/client'
import { HULL_VERSION } from '@hull/shell'
import { Frame, type NavItem } from '../components/frame.tsx'

export function getData({ server, pathname }: Ctx) {
  const navigation = server.navigation.filter(({ isShown }) => isShown?.() ?? true)
  return {
    pathname,
    navigation: navigation.map(({ href, label }) => ({ href, label })),
    version: HULL_VERSION,
    buildId: server.hull.buildId
  }
}

export default function DefaultLayout({
  data: { pathname, navigation, version, buildId },
  children
}: LayoutProps<typeof getData>) {
  const nav = [{ href: '/', label: 'Home' }, ...navigation].map(({ href, label }): NavItem => ({
    href,
    label,
    current: pathname === href ? 'page' : href !== '/' && pathname.startsWith(`${href}/`) ? 'true' : undefined
  }))
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
