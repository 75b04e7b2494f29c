import { get } from './http.ts'
import { isServedBy, PAGES, type BenchPage } from './pages.ts'
import type { Server } from './servers.ts'

const SHOWN = 300

/** React marks the place of late content, and the late content itself. */
const LATE_CONTENT = /<div hidden(?:="")? id="S:([^"]+)">(.*?)<\/div>(?=<script|<div hidden)/gs
const placeOf = (id: string) => new RegExp(`<template id="B:${id}"></template>.*?<!--/\\$-->`, 's')

/** A segment within a boundary of content that is itself late. */
const partOf = (id: string) => `<template id="P:${id}"></template>`

/**
 * Refuses to compare different pages: each page of each server must be 200, have what it is made of as often as it
 * should, and be the floor's page, element by element and word by word.
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
 * Title and frame of a complete page, without additions of frameworks: comments, and attributes other than addresses.
 */
export function toTree(html: string): string {
  const title = /<title[^>]*>(.*?)<\/title>/s.exec(html)?.[1] ?? ''
  const whole = moveLateContent(html)
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

/** Puts content that was streamed after the page into its place, as React's scripts do in a browser. */
function moveLateContent(html: string): string {
  let whole = html.replace(LATE_CONTENT, '')
  for (const [, id, content] of html.matchAll(LATE_CONTENT)) {
    const isPart = whole.includes(partOf(id!))
    whole = whole.replace(isPart ? partOf(id!) : placeOf(id!), () => content!)
  }
  return whole
}

function showDifference(wanted: string, tree: string): string {
  let start = 0
  while (start < wanted.length && wanted[start] === tree[start]) start++
  return `  floor: ${wanted.slice(start, start + SHOWN)}\n  other: ${tree.slice(start, start + SHOWN)}`
}
