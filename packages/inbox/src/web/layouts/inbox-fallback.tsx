import type { Ctx, LayoutProps } from '@hull/shell/client'
import { requireOpen } from '../../access/guard.ts'
import { loadFrameData } from '../view-models/frame-data.ts'
import { InboxFrame } from '../components/frame.tsx'

/** What the inbox refuses is shown in the frame of the inbox. */
export const fallbackFor = '/'

/** An inbox that nobody can open is not there: its addresses are refused like any other. */
export const guard = ({ server }: Ctx) => requireOpen({ server })

export async function getData(ctx: Ctx) {
  const { server, cookies } = ctx
  return loadFrameData(ctx, await server.inboxAccess.findPerson(cookies))
}

export default function InboxFallbackLayout({ data, children }: LayoutProps<typeof getData>) {
  return <InboxFrame {...data}>{children}</InboxFrame>
}
