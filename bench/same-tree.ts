import { get } from './http.ts'
import { isServedBy, PAGES, type BenchPage } from './pages.ts'
import type { Server } from './servers.ts'

const CARD = /<article class="card"/g
const SHOWN = 300

/**
 * Refuses to compare what is not comparable: each page of each server must be 200, have its cards, and be
 * the floor's page, element by element and word by word.
 * @throws Error that names server and page, and shows where they part
 */
export async function assertSameTrees(floor: Server, servers: Server[]): Promise<void> {
  for (const page of PAGES) {
    const wanted = await fetchTree(floor, page, page.floorPath)
    for (const server of servers) {
      if (!isServedBy(page, server.name)) continue
      const tree = await fetchTree(server, page, page.path)
      if (tree !== wanted)
        throw new Error(`${server.name} ${page.path} is not the floor's tree:\n${showDifference(wanted, tree)}`)
    }
  }
}

async function fetchTree(server: Server, page: BenchPage, path: string): Promise<string> {
  const { status, headers, body } = await get(server.origin, path, { accept: 'text/html' })
  const html = body.toString()
  if (status !== 200) throw new Error(`${server.name} answers ${path} with ${status}`)
  if (!String(headers['content-type']).startsWith('text/html'))
    throw new Error(`${server.name} answers ${path} with ${headers['content-type']}`)
  const cards = html.slice(0, html.indexOf('</main>')).match(CARD)?.length ?? 0
  if (cards !== page.cards) throw new Error(`${server.name} ${path} has ${cards} cards, not ${page.cards}`)
  return toTree(html)
}

/** Title and main element without what frameworks add: comments, and attributes that lead nowhere. */
export function toTree(html: string): string {
  const title = /<title[^>]*>(.*?)<\/title>/s.exec(html)?.[1] ?? ''
  const main = html.slice(html.indexOf('<main'), html.lastIndexOf('</main>'))
  return (
    title +
    '\n' +
    main
      .replace(/<!--.*?-->/gs, '')
      .replace(
        /<([a-z0-9]+)([^>]*)>/g,
        (_tag, name: string, attributes: string) => `<${name}${/ href="[^"]*"/.exec(attributes)?.[0] ?? ''}>`
      )
  )
}

function showDifference(wanted: string, tree: string): string {
  let start = 0
  while (start < wanted.length && wanted[start] === tree[start]) start++
  return `  floor: ${wanted.slice(start, start + SHOWN)}\n  other: ${tree.slice(start, start + SHOWN)}`
}
