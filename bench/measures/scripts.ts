import { brotliCompressSync } from 'node:zlib'
import type { Browser } from 'playwright'
import { launchBrowser, openTab } from '../browser.ts'
import { get } from '../http.ts'
import type { Server } from '../servers.ts'
import type { Bench, Measurement } from './measure.ts'

const PATH = '/list'

/**
 * Milliseconds without a request after which a page loads nothing more without input; a page may load scripts when
 * idle.
 */
const IDLE = 1_000

/**
 * Visits of each contender. Hull records one visit in ten, which loads more of the SDK: the median is that of a visit
 * which is not recorded.
 */
const VISITS = 5

/**
 * Measures the JavaScript that a browser loads on a first visit without input; each file is compressed with brotli,
 * level 11.
 */
export async function measureScripts(bench: Bench): Promise<Measurement[]> {
  const { servers, say } = bench
  say('JavaScript of a first visit')
  const browser = await launchBrowser(bench)
  try {
    const samples: Measurement['samples'] = {}
    for (let visit = 0; visit < VISITS; visit++)
      for (const server of servers) (samples[server.name] ??= []).push(await countBytes(browser, server))
    return [{ id: 'scripts', label: `JavaScript of a first visit, ${PATH}`, unit: 'bytes of brotli', samples }]
  } finally {
    await browser.close()
  }
}

async function countBytes(browser: Browser, server: Server): Promise<number> {
  const tab = await openTab(browser, server)
  try {
    await tab.open(PATH)
    await tab.untilQuiet(IDLE)
    const loaded = tab.requests.filter((request) => request.resourceType() === 'script')
    const urls = new Set(loaded.map((request) => request.url()))
    const { body } = await get(server.origin, PATH)
    let bytes = findInlineScripts(body.toString()).reduce((sum, code) => sum + sizeOf(code), 0)
    for (const url of urls) bytes += sizeOf(await fetchScript(server, url))
    return bytes
  } finally {
    await tab.close()
  }
}

const sizeOf = (code: string | Buffer) => brotliCompressSync(code).length

/** Code of the inline script elements of a document, without those whose type marks them as data. */
export function findInlineScripts(html: string): string[] {
  return [...html.matchAll(/<script\b([^>]*)>(.*?)<\/script>/gis)].flatMap(([, attributes, code]) => {
    const type = /\stype="([^"]*)"/i.exec(attributes!)?.[1] ?? ''
    const isCode = ['', 'module', 'text/javascript'].includes(type.toLowerCase())
    return isCode && !/\ssrc=/i.test(attributes!) ? [code!] : []
  })
}

async function fetchScript(server: Server, url: string): Promise<Buffer> {
  const { origin, pathname, search } = new URL(url)
  if (origin !== server.origin) throw new Error(`${server.name} loads ${url}, which is from another origin`)
  const { status, body } = await get(origin, pathname + search)
  if (status !== 200) throw new Error(`${server.name} answers ${pathname} with ${status}`)
  return body
}
