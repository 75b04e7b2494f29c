import { useSyncExternalStore } from 'react'
import type { Zone } from './zone.ts'

const never = () => () => {}

/**
 * UTC in the server's markup, so that both sides render the same and the page is correct without script; then the
 * viewer's zone.
 */
export const useZone = (): Zone =>
  useSyncExternalStore<Zone>(
    never,
    () => 'local',
    () => 'UTC'
  )
