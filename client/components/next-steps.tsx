const PAGE = `// client/pages/about.tsx
export default function AboutPage() {
  return <h1>About</h1>
}`

const BREAK = [
  ['/lab/flaky?fail=3', 'an upstream that fails three times'],
  ['/lab/error/render', 'a component that throws'],
  ['/lab/stream', 'a page that arrives in parts']
] as const

const HEALTH = [
  ['/healthz', 'the process is alive'],
  ['/readyz', 'pages can be served'],
  ['/metrics', 'figures for Prometheus']
] as const

/** Three things to do in a fresh clone. */
export function NextSteps({ lab }: { lab: boolean }) {
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
          <h3>{lab ? <a href="/lab">Break something in the lab</a> : 'Break something in the lab'}</h3>
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
          <h3>Read how it runs</h3>
          <p className="small quiet">
            <code>docs/</code> says how it is built and how to make it yours, <code>.env.example</code> what can be set.
            The process answers for itself:
          </p>
        </div>
        <LinkSample links={HEALTH} />
      </li>
    </ol>
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
