import type { ReactNode } from 'react'

const PAGE = `// client/pages/about.tsx
export default function AboutPage() {
  return <h1>About</h1>
}`

const BREAK = [
  ['/lab/flaky?fail=3', 'an upstream that fails three times'],
  ['/lab/error/render', 'a component that throws'],
  ['/lab/stream', 'a page that arrives in parts']
] as const

const READ = [
  ['/inbox/issues', 'what is broken, and since when'],
  ['/inbox/traces', 'where the time goes'],
  ['/inbox/doctor', 'whether all of it arrives']
] as const

/** Whether errors can be read here: by the printed link, by a password, by nobody yet, at another provider, or not at all. */
export type InboxState = 'link' | 'password' | 'closed' | 'elsewhere' | 'off'

/** Three things to do in a fresh clone. */
export function NextSteps({ lab, inbox }: { lab: boolean; inbox: InboxState }) {
  const isOpen = inbox === 'link' || inbox === 'password'
  return (
    <ol className="home-next">
      <li>
        <div>
          <h3>Add a page</h3>
          <p className="small quiet">
            A file in <code>client/pages/</code> is an address. This one is <code>/about</code>.
          </p>
        </div>
        <pre className="sample">
          <code>{PAGE}</code>
        </pre>
      </li>
      <li>
        <div>
          <h3>{lab ? <a href="/lab">Cause an error in the lab</a> : 'Cause an error in the lab'}</h3>
          <p className="small quiet">
            {lab ? (
              'One page for each behaviour, each saying what should happen.'
            ) : (
              <>
                One page for each behaviour. It is off here; <code>LAB=true</code> in the environment turns it on.
              </>
            )}
          </p>
        </div>
        {lab && <LinkSample links={BREAK} />}
      </li>
      <li>
        <div>
          <h3>{isOpen ? <a href="/inbox">Open the inbox</a> : 'Open the inbox'}</h3>
          <p className="small quiet">{INBOX_WORDS[inbox]}</p>
        </div>
        {isOpen && <LinkSample links={READ} />}
      </li>
    </ol>
  )
}

/** What stands about the way into the inbox. */
const INBOX_WORDS: Record<InboxState, ReactNode> = {
  link: 'What broke, in which line and for whom, as it happens. The terminal in which the server was started has a link that lets you in.',
  password: 'What broke, in which line and for whom, as it happens.',
  closed: (
    <>
      What goes wrong is kept, and shown to nobody: <code>INBOX_PASSWORD</code> in the environment opens it.
    </>
  ),
  elsewhere: (
    <>
      Errors and traces go to the provider that <code>SENTRY_DSN</code> names; without it they are kept and read here.
    </>
  ),
  off: (
    <>
      It is off, and nothing is collected: <code>INBOX=off</code> in the environment says so.
    </>
  )
}

function LinkSample({ links }: { links: ReadonlyArray<readonly [href: string, what: string]> }) {
  return (
    <ul className="sample link-sample">
      {links.map(([href, what]) => (
        <li key={href}>
          <a href={href}>
            <code>{href}</code>
          </a>
          <span>{what}</span>
        </li>
      ))}
    </ul>
  )
}
