import { defineConfig } from 'vite'
import { hull } from './lib/build/hull.ts'
import { monitoringBuild } from './lib/telemetry/vite-plugin.ts'

export default defineConfig({
  plugins: [hull({ root: import.meta.dirname }), monitoringBuild()]
})
