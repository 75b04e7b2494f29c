import { redirect, type ActionCtx, type Ctx, type PageProps, type Href } from '@hull/shell/client'

export const layout = 'account'

export function getData({ server, session }: Ctx) {
  const { account, id } = server.signIns.require(session)
  return server.signIns.list(account).map((signIn) => ({
    id: signIn.id,
    browser: signIn.browser,
    created: new Date(signIn.created),
    lastSeen: new Date(signIn.lastSeen),
    expires: new Date(signIn.expires),
    isThis: signIn.id === id
  }))
}

export const getMeta = () => ({ title: 'Your account', robots: 'noindex' })

export async function action({ form, origin, server, session }: ActionCtx) {
  const { signIns } = server
  const current = signIns.require(session)
  const end = form.get('end')
  if (end === 'all') signIns.endAll(current.account)
  else if (end === 'this') signIns.end(current)
  else signIns.end({ account: current.account, id: Number(end) })
  if (signIns.find(session)) return
  session.clear()
  redirect(((await signIns.leave?.(current, origin)) ?? '/') as Href, { external: true })
}

export default function AccountPage({ data }: PageProps<typeof getData, typeof action>) {
  return (
    <form method="post">
      <h1>Your account</h1>
      <h2>Where you are signed in</h2>
      <ul>
        {data.map(({ id, browser, created, lastSeen, expires, isThis }) => (
          <li key={id}>
            {isThis ? <strong>This browser</strong> : browser || 'Unknown browser'}, since <Time at={created} />, last
            used <Time at={lastSeen} />, until <Time at={expires} />{' '}
            {!isThis && (
              <button type="submit" className="button" name="end" value={id}>
                End
              </button>
            )}
          </li>
        ))}
      </ul>
      <p className="row">
        <button type="submit" className="button" name="end" value="this">
          Sign out
        </button>
        <button type="submit" className="button" name="end" value="all">
          Sign out everywhere
        </button>
      </p>
    </form>
  )
}

const Time = ({ at }: { at: Date }) => (
  <time dateTime={at.toISOString()}>{at.toISOString().slice(0, 16).replace('T', ' ')} UTC</time>
)
