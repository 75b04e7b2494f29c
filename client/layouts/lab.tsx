import { notFound, type Ctx, type LayoutProps } from '#shell'
import '../components/lab/lab.css'

export const layout = 'default'

export function guard ({ server }: Ctx) {
  if (!server.hull.config.lab) notFound()
}

export const getData = ({ pathname }: Ctx) => ({ isList: pathname === '/lab' })

export default function LabLayout ({ data, children }: LayoutProps<typeof getData>) {
  return (
    <div className='lab'>
      {!data.isList && <nav className='lab-back' aria-label='Lab'><a href='/lab'>Back to the list</a></nav>}
      {children}
    </div>
  )
}
