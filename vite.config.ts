import { defineConfig } from 'vite'
import { hull } from '@hull/shell/vite'
import { monitoringBuild } from '@hull/monitoring/vite'

export default defineConfig({
  plugins: [
    hull({ root: import.meta.dirname, roots: [{ folder: 'packages/inbox/src/web', prefix: '/inbox' }] }),
    monitoringBuild()
  ]
})
