/** The browser's side of @hull/monitoring. */
export { loadMonitoring } from './browser-sdk/monitoring.ts'
