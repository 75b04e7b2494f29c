import { useSyncExternalStore } from 'react'
import type { Zone } from './zone.ts'

const never = () => () => {}

/** Whether scripts run: false in the server's markup, and while the browser takes it over. */
export const useHasScript = (): boolean =>
  useSyncExternalStore(
    never,
    () => true,
    () => false
  )

/**
 * UTC in the server's markup, so that both sides render the same and the page is correct without script; then the
 * viewer's zone.
 */
export const useZone = (): Zone => (useHasScript() ? 'local' : 'UTC')
