import { join } from 'node:path'
import type { buildSite } from './site.ts'

/** Address of the built files of {@link BASE_PATH_SITE}. No server has it: a test answers for it. */
export const CDN = 'http://cdn.test/files'

/** Arguments of `buildSite` for a site below `/shop`, with its files on a CDN. */
export const BASE_PATH_SITE: Parameters<typeof buildSite> = [
  join(import.meta.dirname, '../../shell/test/fixtures/base-path'),
  { place: { basePath: '/shop', assetsUrl: CDN } }
]
