import { createContext, use } from 'react'

/** A fallback's link to a working page. */
export interface FallbackTarget {
  href: string
  label: string
}

/**
 * Sets the link of fallbacks below it: `<FallbackLink value={{ href: '/team', label: 'Go to the team' }}>`. A layout of
 * an area renders it around its children, so that the link of an error in the area leads back into the area.
 */
export const FallbackLink = createContext<FallbackTarget>({ href: '/', label: 'Go to the home page' })

/**
 * Returns the link that a fallback offers.
 * @default the home page
 */
export const useFallbackLink = (): FallbackTarget => use(FallbackLink)
