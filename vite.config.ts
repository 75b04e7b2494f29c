import { defineConfig } from 'vite'
import { loadOrExit } from '@hull/shell'
import { bundlePackages, hull } from '@hull/shell/vite'
import { monitoringBuild } from '@hull/monitoring/vite'
import { loadConfig } from './config.ts'

const { basePath, assetsUrl } = loadOrExit(loadConfig)

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
