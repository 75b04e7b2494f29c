// Exports for pages that import react-router, as far as Hull's navigation supports them.
import { useCallback, type ComponentProps, type CSSProperties, type ReactNode } from 'react'
import type { Href } from '@hull/common/href.ts'
import { toFlatParams } from '../../routing/route-matcher.ts'
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

export interface NavLinkProps extends Omit<LinkProps, 'className' | 'style' | 'children'> {
  end?: boolean
  className?: string | ((state: NavLinkState) => string | undefined)
  style?: CSSProperties | ((state: NavLinkState) => CSSProperties | undefined)
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
      href={toHref(to) as Href}
      keepScroll={preventScrollReset}
      transition={viewTransition}
      {...(reloadDocument && { 'data-document': '' })}
    />
  )
}

/** A link that shows whether its page is current: `aria-current`, and the class `active`. */
export function NavLink({ to, end = false, className, style, children, ...props }: NavLinkProps) {
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
      style={typeof style === 'function' ? style(state) : style}
    >
      {typeof children === 'function' ? children(state) : children}
    </Link>
  )
}

/** Returns the location of the shown page. The hash is always empty. */
export function useLocation() {
  const { pathname, search } = useRoute()
  const query = search.toString()
  return { pathname, search: query && `?${query}`, hash: '', state: null, key: 'default' }
}

/** Returns the parameters of the shown page. A catch-all is one string, also under `*`. */
export const useParams = (): Record<string, string | undefined> => toFlatParams(useRoute().params)

interface NavigateOptions {
  replace?: boolean
  preventScrollReset?: boolean
}

/** Returns a function that navigates to an address, or by a number of steps in the history. */
export function useNavigate() {
  return useCallback((to: string | To | number, { replace, preventScrollReset }: NavigateOptions = {}) => {
    if (typeof to === 'number') history.go(to)
    else navigate(toHref(to) as Href, { replace, keepScroll: preventScrollReset })
  }, [])
}

type Query = string | string[][] | URLSearchParams | Record<string, string | string[]>

/** Returns the query of the shown page, and a function that changes it. */
export function useSearchParams() {
  const { pathname, search } = useRoute()
  const set = useCallback(
    (
      next: Query | ((search: URLSearchParams) => Query) = {},
      { replace, preventScrollReset }: NavigateOptions = {}
    ) => {
      const query = toQuery(typeof next === 'function' ? next(new URLSearchParams(search)) : next)
      navigate(`${pathname}?${query}` as Href, { replace, keepScroll: preventScrollReset })
    },
    [pathname, search]
  )
  return [search, set] as const
}

/** A name with a list occurs once for each of its values. */
function toQuery(query: Query): string {
  if (typeof query === 'string' || Symbol.iterator in query) return new URLSearchParams(query).toString()
  const entries = Object.entries(query).flatMap(([name, values]) => [values].flat().map((value) => [name, value]))
  return new URLSearchParams(entries).toString()
}
