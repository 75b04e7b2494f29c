import { createContext, use } from 'react'

/** True below the innermost layout of a page. */
export const InLayout = createContext(false)

/**
 * Whether a layout surrounds this component. False in a fallback without a layout, such as the error page after a
 * layout failed. Such a fallback renders its own frame.
 */
export const useInLayout = (): boolean => use(InLayout)
