import { createRootRoute, HeadContent, Outlet, Scripts, useLocation } from '@tanstack/react-router'
import { Layout } from '#tree/layout.tsx'
import { Link } from '../link'

export const Route = createRootRoute({
  head: () => ({
    meta: [{ charSet: 'utf-8' }, { name: 'viewport', content: 'width=device-width, initial-scale=1' }]
  }),
  component: Root
})

function Root () {
  const path = useLocation({ select: (location) => location.pathname })
  return (
    <html lang="en">
      <head>
        <HeadContent />
      </head>
      <body>
        <Layout path={path} Link={Link}><Outlet /></Layout>
        <Scripts />
      </body>
    </html>
  )
}
