import { createContext, use } from 'react'

/** True below the innermost layout of a page. */
export const InLayout = createContext(false)

/**
 * Whether a layout surrounds this component. False in a fallback that stands alone, such as the error page after a layout
 * failed: there it renders a frame of its own.
 */
export const useInLayout = (): boolean => use(InLayout)
