import { use } from 'react'
import { Link, type LinkProps } from './link.tsx'
import { useNavigation } from './navigation-state.ts'
import { ShownView } from '../view/route.ts'

export interface NavLinkProps extends LinkProps {
  /** Marks the link only on its own page, and not on the pages below its path. `/` is always exact. @default false */
  exact?: boolean
}

/**
 * A link that shows whether its page, or a page below its path, is the current one: `aria-current="page"`. While that
 * page is loading, the link has `data-pending`. Query and hash do not count.
 */
export function NavLink({ exact = false, ...props }: NavLinkProps) {
  const shown = use(ShownView)?.payload.pathname
  const { to } = useNavigation()
  const path = toPath(props.href)
  const covers = (address: string | undefined): boolean => {
    const pathname = address && toPath(address)
    if (!path || !pathname) return false
    return pathname === path || (!exact && path !== '/' && pathname.startsWith(`${path}/`))
  }
  return <Link aria-current={covers(shown) ? 'page' : undefined} data-pending={covers(to) || undefined} {...props} />
}

/** Any origin, to recognise an address of another one. */
const HERE = 'http://localhost'

/** Encoded path without a slash at its end; undefined for another origin, and for an address relative to the page. */
function toPath(address: string): string | undefined {
  if (!address.startsWith('/') || !URL.canParse(address, HERE)) return undefined
  const { origin, pathname } = new URL(address, HERE)
  return origin === HERE ? pathname.replace(/(?<=.)\/$/, '') : undefined
}
