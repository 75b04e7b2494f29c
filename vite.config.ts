import { defineConfig } from 'vite'
import { bundlePackages, hull } from '@hull/shell/vite'
import { monitoringBuild } from '@hull/monitoring/vite'
import { loadConfig } from './config.ts'

const { basePath, assetsUrl } = loadConfig()

export default defineConfig({
  plugins: [
    hull({
      root: import.meta.dirname,
      basePath,
      assetsUrl,
      roots: [{ folder: '@hull/inbox/web', prefix: '/inbox' }]
    }),
    monitoringBuild(),
    bundlePackages({ root: import.meta.dirname })
  ]
})
