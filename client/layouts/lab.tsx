import { notFound, type Ctx, type LayoutProps } from '@hull/shell/client'
import { LabFrame } from '../components/lab/lab-frame.tsx'

export const layout = 'default'

export function guard({ server }: Ctx) {
  if (!server.hull.config.lab) notFound()
}

export const getData = (ctx: Ctx) => ({
  inbox: ctx.server.inboxAccess.isOpen,
  isList: ctx.pathname === '/lab'
})

export default function LabLayout({ data, children }: LayoutProps<typeof getData>) {
  return <LabFrame {...data}>{children}</LabFrame>
}
