import { get } from './http.ts'
import { isServedBy, PAGES, type BenchPage } from './pages.ts'
import type { Server } from './servers.ts'

const SHOWN = 300

/** Markup in which React sends streamed content after the page, and the placeholder that the content replaces. */
const STREAMED_CONTENT = /<div hidden(?:="")? id="S:([^"]+)">(.*?)<\/div>(?=<script|<div hidden)/gs
const placeholderOf = (id: string) => new RegExp(`<template id="B:${id}"></template>.*?<!--/\\$-->`, 's')

/** Placeholder of a segment inside of streamed content. */
const segmentOf = (id: string) => `<template id="P:${id}"></template>`

/**
 * Checks that all contenders serve the same pages: each page of each server must have status 200, the expected number
 * of its element, and the same elements and words as the floor's page.
 * @throws Error that names the server and the page, and shows the first difference
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

async function fetchTree(server: Server, { has }: BenchPage, path: string): Promise<string> {
  const { status, headers, body } = await get(server.origin, path, { accept: 'text/html' })
  if (status !== 200) throw new Error(`${server.name} answers ${path} with ${status}`)
  if (!String(headers['content-type']).startsWith('text/html'))
    throw new Error(`${server.name} answers ${path} with ${headers['content-type']}`)
  const tree = toTree(body.toString())
  const count = tree.split(`<${has.element}>`).length - 1
  if (count !== has.count)
    throw new Error(`${server.name} ${path} has ${count} elements "${has.element}", not ${has.count}`)
  return tree
}

/**
 * Title of a page, and its HTML from header to footer, without additions of frameworks: comments, scripts, and
 * attributes other than `href`.
 */
export function toTree(html: string): string {
  const title = /<title[^>]*>(.*?)<\/title>/s.exec(html)?.[1] ?? ''
  const whole = moveStreamedContent(html)
  const frame = whole.slice(whole.indexOf('<header'), whole.lastIndexOf('</footer>'))
  return (
    title +
    '\n' +
    frame
      .replace(/<!--.*?-->/gs, '')
      .replace(/<script\b.*?<\/script>/gs, '')
      .replace(
        /<([a-z0-9]+)([^>]*)>/g,
        (_tag, name: string, attributes: string) => `<${name}${/ href="[^"]*"/.exec(attributes)?.[0] ?? ''}>`
      )
  )
}

/** Moves content that was streamed after the page into its place, as React's scripts do in a browser. */
function moveStreamedContent(html: string): string {
  let whole = html.replace(STREAMED_CONTENT, '')
  for (const [, id, content] of html.matchAll(STREAMED_CONTENT)) {
    const isSegment = whole.includes(segmentOf(id!))
    whole = whole.replace(isSegment ? segmentOf(id!) : placeholderOf(id!), () => content!)
  }
  return whole
}

function showDifference(wanted: string, tree: string): string {
  let start = 0
  while (start < wanted.length && wanted[start] === tree[start]) start++
  return `  floor: ${wanted.slice(start, start + SHOWN)}\n  other: ${tree.slice(start, start + SHOWN)}`
}
