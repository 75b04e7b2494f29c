import { defineConfig } from 'vite'
import { hull } from '@hull/shell/build/hull.ts'
import { monitoringBuild } from '@hull/monitoring/server-sdk/vite-plugin.ts'

export default defineConfig({
  plugins: [hull({ root: import.meta.dirname }), monitoringBuild()]
})
