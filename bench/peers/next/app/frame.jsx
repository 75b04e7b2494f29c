'use client'

import Link from 'next/link'
import { usePathname } from 'next/navigation'
import { Layout } from '#tree/layout.tsx'

export function Frame ({ children }) {
  return <Layout path={usePathname()} Link={Link}>{children}</Layout>
}
