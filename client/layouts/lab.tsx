import { notFound, type Ctx, type LayoutProps } from '@hull/shell/client'
import { LabFrame } from '../components/lab/lab-frame.tsx'

export const layout = 'default'

export function guard({ server }: Ctx) {
  if (!server.hull.config.lab) notFound()
}

export const getData = ({ pathname, server }: Ctx) => ({
  isList: pathname === '/lab',
  inbox: server.inboxAccess.isOpen
})

export default function LabLayout({ data: { isList, inbox }, children }: LayoutProps<typeof getData>) {
  return (
    <LabFrame isList={isList} inbox={inbox}>
      {children}
    </LabFrame>
  )
}
