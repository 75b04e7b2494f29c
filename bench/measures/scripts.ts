import { brotliCompressSync } from 'node:zlib'
import { parseAst } from 'vite'
import { get } from '../http.ts'
import type { Server } from '../servers.ts'
import type { Bench, Measurement } from './measure.ts'

interface Script {
  url: string
  module: boolean
}

/** JavaScript that a first visit to `/` loads: what the document names, and what that imports. Brotli, level 11. */
export async function measureScripts({ servers }: Bench): Promise<Measurement[]> {
  const sizes = await Promise.all(servers.map(async (server) => [server.name, [await countBytes(server)]] as const))
  return [
    { id: 'scripts', label: 'JavaScript of a first visit', unit: 'bytes of brotli', samples: Object.fromEntries(sizes) }
  ]
}

async function countBytes(server: Server): Promise<number> {
  const { body } = await get(server.origin, '/')
  const scripts = findScripts(body.toString(), new URL('/', server.origin))
  const seen = new Set(scripts.map((script) => script.url))
  let bytes = 0
  // grows while it is walked: imports are appended
  for (const { url, module } of scripts) {
    const code = await fetchScript(server, url)
    bytes += brotliCompressSync(code).length
    for (const imported of module ? findImports(code.toString(), url) : []) {
      if (!seen.has(imported)) scripts.push({ url: imported, module: true })
      seen.add(imported)
    }
  }
  return bytes
}

/** What a browser that knows modules loads from a document, each file once. */
export function findScripts(html: string, base: URL): Script[] {
  const scripts = new Map<string, Script>()
  for (const [, name, attributes] of html.matchAll(/<(script|link)\b([^>]*)>/gi)) {
    const read = (attribute: string) => new RegExp(`\\s${attribute}="([^"]*)"`, 'i').exec(attributes!)?.[1]
    const isPreload = read('rel') === 'modulepreload' || (read('rel') === 'preload' && read('as') === 'script')
    const address = name!.toLowerCase() === 'script' ? read('src') : isPreload ? read('href') : undefined
    if (address === undefined || /\snomodule\b/i.test(attributes!)) continue
    const url = new URL(address.replaceAll('&amp;', '&'), base).href
    const module = read('type') === 'module' || read('rel') === 'modulepreload'
    scripts.set(url, { url, module: module || scripts.get(url)?.module === true })
  }
  return [...scripts.values()]
}

function findImports(code: string, url: string): string[] {
  return parseAst(code).body.flatMap((statement) =>
    'source' in statement && statement.source ? [new URL(statement.source.value, url).href] : []
  )
}

async function fetchScript(server: Server, url: string): Promise<Buffer> {
  const { origin, pathname, search } = new URL(url)
  if (origin !== server.origin) throw new Error(`${server.name} loads ${url}, which is not its own`)
  const { status, body } = await get(origin, pathname + search)
  if (status !== 200) throw new Error(`${server.name} answers ${pathname} with ${status}`)
  return body
}
