import type { Ctx, LayoutProps } from '@hull/shell/client'
import { requirePerson } from '../../access/guard.ts'
import { loadFrameData } from '../view-models/frame-data.ts'
import { InboxFrame } from '../components/frame/frame.tsx'

export const guard = (ctx: Ctx) => requirePerson(ctx)

/** Layout of every screen of the inbox. */
export const getData = async (ctx: Ctx) => loadFrameData(ctx, await requirePerson(ctx))

export default function InboxLayout({ data, children }: LayoutProps<typeof getData>) {
  return <InboxFrame {...data}>{children}</InboxFrame>
}
