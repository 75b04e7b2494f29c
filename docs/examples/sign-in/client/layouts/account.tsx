import type { Ctx, LayoutProps } from '@hull/shell/client'

export const layout = 'default'

/** Every page with this layout is for people who are signed in. */
export const guard = ({ server, session }: Ctx) => server.signIns.require(session)

export const getData = ({ server, session }: Ctx) => ({ name: server.signIns.require(session).name })

export default function AccountLayout({ data, children }: LayoutProps<typeof getData>) {
  return (
    <>
      <p>
        Signed in as <strong>{data.name}</strong>
      </p>
      {children}
    </>
  )
}
