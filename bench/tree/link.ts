import type { ElementType, ReactNode } from 'react'

/** Each contender's own link: the floor's is `a`. */
export type LinkType = ElementType<{
  href: string
  className?: string
  'aria-current'?: 'page'
  children?: ReactNode
}>
