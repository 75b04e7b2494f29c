import type { ReactNode } from 'react'
import { FallbackLink, useRoute } from '@hull/shell/client'
import { SubmitButton } from '../shared/controls.tsx'
import { withView, type InboxView } from '../../view.ts'
import type { Role } from '../../../store/model.ts'
import { ViewFields } from '../shared/hidden-fields.tsx'
import { Keys } from './keys.tsx'
import { HomeLink } from './home-link.tsx'
import { Menu } from '../shared/menu.tsx'
import { ProjectPicker, RangePicker, ValuePicker, type Picking } from '../shared/pickers.tsx'
import { SearchInput } from '../search/search-input.tsx'
import { Text } from '../shared/text.tsx'
import { Clock } from '../shared/time.tsx'
import '../../styles/inbox.css'
import '../../styles/inbox-menu.css'
import '../../styles/inbox-parts.css'

interface InboxFrameProps {
  /** Time on the server, milliseconds since the epoch. */
  now: number
  view: InboxView
  projects: Array<{ id: number; name: string }>
  environments: string[]
  /** Newest first. */
  versions: string[]
  /** Undefined for a visitor who is not signed in, who has neither pickers nor search. */
  person?: FramePerson
  /** An error in place of the screen. @default false */
  isFallback?: boolean
  children: ReactNode
}

interface FramePerson {
  name: string
  role: Role
  /** The highest role in any project. */
  highest: Role
  /** Whether the person reads every project. */
  seesAll: boolean
}

const SCREENS = [
  ['/inbox', 'Overview'],
  ['/inbox/issues', 'Issues'],
  ['/inbox/traces', 'Traces'],
  ['/inbox/logs', 'Logs'],
  ['/inbox/vitals', 'Vitals'],
  ['/inbox/feedback', 'Feedback'],
  ['/inbox/monitors', 'Monitors'],
  ['/inbox/releases', 'Releases']
] as const

/** Frame around every screen: navigation, pickers, search and the account. */
export function InboxFrame(props: InboxFrameProps) {
  const { now, view, projects, environments, versions, person, isFallback = false, children } = props
  const { pathname, search } = useRoute()
  const picking: Picking = { here: pathname + (search.size > 0 ? `?${search}` : ''), view }
  return (
    <div className="frame inbox">
      <div className="frame-edge">
        <a className="skip" href="#main">
          Skip to content
        </a>
        <header className="frame-bar">
          <HomeLink />
          <nav className="frame-nav" aria-label="Main">
            <ul>
              {SCREENS.map(([href, label]) => (
                <li key={href}>
                  <a href={withView(href, view)} aria-current={currentOf(href, pathname)}>
                    {label}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
          {/* Also rendered without pickers, so that the rest keeps its position. */}
          <div className="inbox-pickers">
            {person && !isAdministration(pathname) && (
              <>
                {projects.length > 1 && <ProjectPicker {...picking} projects={projects} />}
                <ValuePicker {...picking} name="environment" values={environments} />
                <ValuePicker {...picking} name="release" values={versions} />
                <RangePicker {...picking} />
              </>
            )}
          </div>
          {/* The list of issues has its own search field. */}
          {person && (isFallback || pathname !== '/inbox/issues') && <SearchBox view={view} />}
          {person && <PersonMenu {...person} />}
        </header>
      </div>
      <main className="frame-main" id="main" tabIndex={-1}>
        <FallbackLink value={backTo(pathname, view)}>
          <Clock now={now}>
            {children}
            <Keys />
          </Clock>
        </FallbackLink>
      </main>
    </div>
  )
}

/** `page` for the current page, `true` for its parents. */
function currentOf(href: string, pathname: string): 'page' | 'true' | undefined {
  if (pathname === href) return 'page'
  return href !== '/inbox' && pathname.startsWith(`${href}/`) ? 'true' : undefined
}

/** The screen that an error of the inbox leads back to: the one it belongs to, else the overview. */
function backTo(pathname: string, view: InboxView) {
  const [href, label] = SCREENS.find(([screen]) => currentOf(screen, pathname)) ?? SCREENS[0]
  return { href: withView(href, view), label: `Go to ${label}` }
}

/** Pages about the inbox itself, without a time range, release or project. */
const isAdministration = (pathname: string) => /^\/inbox\/(?:settings|account)(?:\/|$)/.test(pathname)

function SearchBox({ view }: { view: InboxView }) {
  return (
    <form className="inbox-search" action="/inbox/issues" role="search">
      <ViewFields view={view} />
      <SearchInput
        query=""
        label="Search by words, digest, event id or trace id"
        placeholder="Search words, digest or id"
        maxLength={500}
        className=""
        hasShortcut
      />
      <kbd className="needs-script" aria-hidden="true">
        /
      </kbd>
      <button type="submit" className="visually-hidden">
        Search
      </button>
    </form>
  )
}

function PersonMenu({ name, role, highest, seesAll }: FramePerson) {
  return (
    <Menu className="inbox-person" side="end" purpose="Signed in as" label={<Text max={24}>{name}</Text>}>
      <ul className="choices">
        {seesAll && <MenuLink href="/inbox/doctor" label="Doctor" />}
        {highest === 'admin' && <MenuLink href="/inbox/settings" label="Settings" />}
        {highest === 'member' && <MenuLink href="/inbox/settings/tokens" label="Tokens" />}
        <MenuLink href="/inbox/account" label="Account" />
        <li className="needs-script">
          <button type="button" data-opens="keys">
            Keyboard shortcuts <kbd>?</kbd>
          </button>
        </li>
      </ul>
      <form method="post" action="/inbox/sign-out" className="menu-foot">
        <p className="quiet">{role === 'none' ? 'Roles in single projects' : `Role: ${role}`}</p>
        <SubmitButton label="Sign out" />
      </form>
    </Menu>
  )
}

const MenuLink = ({ href, label }: { href: string; label: string }) => (
  <li>
    <a href={href}>{label}</a>
  </li>
)
