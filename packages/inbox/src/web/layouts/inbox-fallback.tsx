import type { Ctx, LayoutProps } from '@hull/shell/client'
import { findPerson, requireOpen } from '../../access/guard.ts'
import { loadFrameData } from '../view-models/frame-data.ts'
import { InboxFrame } from '../components/frame/frame.tsx'

/** Error pages of the inbox, in its frame. */
export const fallbackFor = '/'

/** While the inbox is closed its addresses have the application's own error pages. */
export const guard = ({ server }: Ctx) => requireOpen({ server })

export const getData = async (ctx: Ctx) => loadFrameData(ctx, await findPerson(ctx))

export default function InboxFallbackLayout({ data, children }: LayoutProps<typeof getData>) {
  return (
    <InboxFrame {...data} isFallback>
      {children}
    </InboxFrame>
  )
}
