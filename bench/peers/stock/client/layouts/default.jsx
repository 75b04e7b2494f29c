import { Suspense } from 'react'
import { useLocation } from 'react-router'
import { Layout } from '#tree/layout.tsx'
import { Link } from '../link.jsx'

export default function DefaultLayout ({ children }) {
  const { pathname } = useLocation()
  return <Layout path={pathname} Link={Link}><Suspense>{children}</Suspense></Layout>
}
