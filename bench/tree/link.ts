import type { ElementType, ReactNode } from 'react'

/** Link component of a contender; the floor's is `a`. */
export type LinkType = ElementType<{
  href: string
  className?: string
  'aria-current'?: 'page'
  children?: ReactNode
}>
