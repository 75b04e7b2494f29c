// What pages import as react-router, as far as Hull's navigation has it.
import { useCallback, type ComponentProps, type ReactNode } from 'react'
import { Link as ShellLink, navigate, useNavigation, useRoute } from '../index.ts'

interface To {
  pathname?: string
  search?: string
  hash?: string
}

export interface LinkProps extends Omit<ComponentProps<'a'>, 'href' | 'ref'> {
  to: string | To
  replace?: boolean
  reloadDocument?: boolean
  preventScrollReset?: boolean
  viewTransition?: boolean
}

export interface NavLinkProps extends Omit<LinkProps, 'className' | 'children'> {
  end?: boolean
  className?: string | ((state: NavLinkState) => string | undefined)
  children?: ReactNode | ((state: NavLinkState) => ReactNode)
}

export interface NavLinkState {
  isActive: boolean
  isPending: boolean
}

const toHref = (to: string | To): string =>
  typeof to === 'string' ? to : (to.pathname ?? '') + (to.search ?? '') + (to.hash ?? '')

/** A link. */
export function Link({ to, preventScrollReset, viewTransition, reloadDocument, ...props }: LinkProps) {
  return (
    <ShellLink
      {...props}
      href={toHref(to)}
      keepScroll={preventScrollReset}
      transition={viewTransition}
      {...(reloadDocument && { 'data-document': '' })}
    />
  )
}

/** A link that says whether its page is shown: `aria-current`, and the class `active`. */
export function NavLink({ to, end = false, className, children, ...props }: NavLinkProps) {
  const { pathname } = useRoute()
  const { to: next } = useNavigation()
  const path = toHref(to).replace(/[?#].*$/, '')
  const covers = (shown: string) => shown === path || (!end && path !== '/' && shown.startsWith(path + '/'))
  const state = { isActive: covers(pathname), isPending: next !== undefined && covers(next.replace(/[?#].*$/, '')) }
  const plain = [className, state.isActive && 'active'].filter(Boolean).join(' ') || undefined
  return (
    <Link
      {...props}
      to={to}
      aria-current={state.isActive ? 'page' : undefined}
      className={typeof className === 'function' ? className(state) : plain}
    >
      {typeof children === 'function' ? children(state) : children}
    </Link>
  )
}

/** Where the page shown is. The hash is the browser's own, and empty here. */
export function useLocation() {
  const { pathname, search } = useRoute()
  const query = search.toString()
  return { pathname, search: query && `?${query}`, hash: '', state: null, key: 'default' }
}

/** Parameters of the page shown; a catch-all also as `*`, its parts joined. */
export function useParams(): Record<string, string | undefined> {
  const params: Record<string, string> = {}
  for (const [name, value] of Object.entries(useRoute().params))
    if (typeof value === 'string') params[name] = value
    else params[name] = params['*'] = value.join('/')
  return params
}

/** Goes to an address, or so many steps in the history. */
export function useNavigate() {
  return useCallback((to: string | To | number, { replace }: { replace?: boolean } = {}) => {
    if (typeof to === 'number') history.go(to)
    else navigate(toHref(to), { replace })
  }, [])
}

/** The query of the page shown, and what changes it. */
export function useSearchParams(): [URLSearchParams, (next: ConstructorParameters<typeof URLSearchParams>[0]) => void] {
  const { pathname, search } = useRoute()
  const set = useCallback(
    (next: ConstructorParameters<typeof URLSearchParams>[0]) => {
      navigate(`${pathname}?${new URLSearchParams(next).toString()}`)
    },
    [pathname]
  )
  return [search, set]
}
