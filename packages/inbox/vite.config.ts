import { hull } from '@hull/shell/vite'
import { defineConfig } from 'vite'

/** The pages of the inbox alone, into `dist/` of this folder. */
export default defineConfig({
  plugins: [hull({ root: import.meta.dirname, roots: [{ folder: 'src/web', prefix: '/inbox' }] })]
})
