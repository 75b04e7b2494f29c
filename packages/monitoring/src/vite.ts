/** Exports of @hull/monitoring for vite.config.ts. */
export { monitoringBuild } from './server-sdk/vite-plugin.ts'
