import { notFound, type Ctx, type LayoutProps } from '#shell'
import { LabFrame } from '../components/lab/lab-frame.tsx'

export const layout = 'default'

export function guard({ server }: Ctx) {
  if (!server.hull.config.lab) notFound()
}

export const getData = ({ pathname }: Ctx) => ({ isList: pathname === '/lab' })

export default function LabLayout({ data: { isList }, children }: LayoutProps<typeof getData>) {
  return <LabFrame isList={isList}>{children}</LabFrame>
}
