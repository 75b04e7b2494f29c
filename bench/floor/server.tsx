import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { renderToString } from 'react-dom/server'
import { findItem, listItems } from '../tree/data.ts'
import { createPage, toTitle, type Payload } from './pages.tsx'

const ITEM_PREFIX = '/item/'
/** Before the path of a page: its payload alone, for a click in the browser. */
const DATA_PREFIX = '/data'

// the built server lies beside the built browser files
const assetsFolder = join(import.meta.dirname, '../client/assets')
const assets = new Map(
  readdirSync(assetsFolder).map((name) => [`/assets/${name}`, readFileSync(join(assetsFolder, name))])
)
const [script] = assets.keys()

createServer(async function answer(request, response) {
  const path = request.url!
  const asset = assets.get(path)
  if (asset) return send(response, 200, 'text/javascript', asset)
  const isData = path.startsWith(DATA_PREFIX + '/')
  const payload = await findPayload(isData ? path.slice(DATA_PREFIX.length) : path)
  if (!payload) return send(response, 404, 'text/plain', 'Not found')
  if (isData) return send(response, 200, 'application/json', JSON.stringify(payload))
  send(response, 200, 'text/html; charset=utf-8', renderDocument(payload))
}).listen(Number(process.env.PORT), process.env.HOST)

async function findPayload(path: string): Promise<Payload | undefined> {
  if (path === '/') return { page: 'home', data: { greeting: 'Welcome aboard' } }
  if (path === '/list') return { page: 'list', data: { items: await listItems() } }
  if (!path.startsWith(ITEM_PREFIX)) return undefined
  const item = await findItem(path.slice(ITEM_PREFIX.length))
  return item && { page: 'item', data: { item } }
}

function renderDocument(payload: Payload): string {
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width, initial-scale=1">' +
    `<title>${toTitle(payload)}</title><script type="module" src="${script}"></script></head><body>` +
    `<div id="root">${renderToString(createPage(payload))}</div>` +
    `<script type="application/json" id="payload">${toInlineJson(payload)}</script></body></html>`
  )
}

/** JSON that cannot close its script element. */
function toInlineJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}

function send(response: ServerResponse, status: number, type: string, body: string | Buffer) {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}
