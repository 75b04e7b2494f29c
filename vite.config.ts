import { defineConfig } from 'vite'
import { createViteConfig } from './lib/build/vite-config.ts'

export default defineConfig(({ command }) =>
  createViteConfig({ root: import.meta.dirname, build: command === 'build' })
)
