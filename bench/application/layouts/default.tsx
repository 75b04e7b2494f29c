import { Link, type Ctx, type LayoutProps } from '@hull/shell/client'
import { Layout } from '../../tree/layout.tsx'

export const getData = ({ pathname }: Ctx) => ({ pathname })

export default function DefaultLayout({ data, children }: LayoutProps<typeof getData>) {
  return (
    <Layout path={data.pathname} Link={Link}>
      {children}
    </Layout>
  )
}
