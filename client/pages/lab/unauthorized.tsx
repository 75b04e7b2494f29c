import { unauthorized, type Ctx, type PageProps } from '@hull/shell/client'
import { LabPage } from '../../components/lab/lab-page.tsx'

export const layout = 'lab'

export function guard({ search, session }: Ctx) {
  if (!search.has('in') && !session.get('user')) unauthorized()
}

export function getData({ search, session }: Ctx) {
  const user = session.get('user')
  if (search.get('in') === 'data' && !user) unauthorized()
  return { user: user ?? null }
}

export const getMeta = () => ({ title: 'Members · Lab', robots: 'noindex' })

export default function UnauthorizedPage({ data: { user } }: PageProps<typeof getData>) {
  if (!user) unauthorized()
  return (
    <LabPage
      title="For those who are signed in"
      expect={`You are signed in as ${user}, so there is nothing to refuse. Sign out to see the 401.`}
    >
      <p>
        <a className="button" href="/lab/sign-in?return=%2Flab%2Funauthorized">
          Go to sign out
        </a>
      </p>
    </LabPage>
  )
}
