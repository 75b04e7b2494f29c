import { join } from 'node:path'
import { hull } from '@hull/shell/vite'
import { defineConfig } from 'vite'

/** The pages of the inbox alone, into `dist/pages` of this folder. */
export default defineConfig({
  plugins: [
    hull({
      root: import.meta.dirname,
      dist: join(import.meta.dirname, 'dist/pages'),
      roots: [{ folder: 'src/web', prefix: '/inbox' }]
    })
  ]
})
