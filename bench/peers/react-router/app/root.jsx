import { Links, Meta, Outlet, Scripts, ScrollRestoration, useLocation } from 'react-router'
import { Layout } from '#tree/layout.tsx'
import { Link } from './link.jsx'

export default function Root () {
  const { pathname } = useLocation()
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <Meta />
        <Links />
      </head>
      <body>
        <Layout path={pathname} Link={Link}><Outlet /></Layout>
        <ScrollRestoration />
        <Scripts />
      </body>
    </html>
  )
}
