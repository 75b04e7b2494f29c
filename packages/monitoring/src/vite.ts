/** What vite.config.ts imports of @hull/monitoring. */
export { monitoringBuild } from './server-sdk/vite-plugin.ts'
