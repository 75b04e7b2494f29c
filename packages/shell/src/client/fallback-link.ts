import { createContext, use } from 'react'

/** The link of a fallback to a page that works. */
export interface FallbackTarget {
  href: string
  label: string
}

/**
 * Sets the link of the fallbacks below it: `<FallbackLink value={{ href: '/team', label: 'Go to the team' }}>`. A layout
 * of an area renders it around its children, so that an error of the area leads back into the area.
 */
export const FallbackLink = createContext<FallbackTarget>({ href: '/', label: 'Go to the home page' })

/** The link that a fallback offers. @default the home page */
export const useFallbackLink = (): FallbackTarget => use(FallbackLink)
