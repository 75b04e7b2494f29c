import { defineConfig } from 'vite'
import { createViteConfig } from './lib/build/vite-config.ts'

export default defineConfig(createViteConfig({ root: import.meta.dirname }))
