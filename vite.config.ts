import { defineConfig } from 'vite'
import { createViteConfig } from './lib/build/vite-config.ts'
import { monitoringBuild } from './lib/telemetry/vite-plugin.ts'

export default defineConfig(({ command }) =>
  createViteConfig({ root: import.meta.dirname, build: command === 'build', plugins: [monitoringBuild()] })
)
