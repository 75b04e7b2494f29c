#!/usr/bin/env node
import { resolveConfig } from 'vite'
import type { PagesPluginApi } from '../build/pages/pages-plugin.ts'

/*
 * The command `hull-types`: writes the contract checks and the addresses of the pages into `.hull/types`, for a type
 * check of the application in the current folder. Builds and the development server write them too, but a fresh clone
 * had neither, and a page may have been added since.
 */
try {
  const { plugins } = await resolveConfig({ logLevel: 'silent' }, 'build')
  const pages = plugins.find(({ name }) => name === 'hull-pages')
  if (!pages) throw new Error('vite.config.ts does not use hull()')
  const { writeTypes } = pages.api as PagesPluginApi
  writeTypes()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
