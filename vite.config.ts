import { defineConfig } from 'vite'
import { bundlePackages, hull } from '@hull/shell/vite'
import { monitoringBuild } from '@hull/monitoring/vite'

export default defineConfig({
  plugins: [
    hull({
      root: import.meta.dirname,
      roots: [{ folder: '@hull/inbox/web', prefix: '/inbox' }]
    }),
    monitoringBuild(),
    bundlePackages({ root: import.meta.dirname })
  ]
})
