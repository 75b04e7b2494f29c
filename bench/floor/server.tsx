import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { renderToPipeableStream, renderToString } from 'react-dom/server'
import { findItem, listItems, listMany, listRows, openReport, settle } from '../tree/data.ts'
import { createOpenReport, createPage, toTitle, type Payload } from './pages.tsx'

const ITEM_PREFIX = '/item/'
const CARDS_PREFIX = '/cards/'
/** Prefix of a page's path: the response is only the payload, for a click in the browser. */
const DATA_PREFIX = '/data'
const HTML = 'text/html; charset=utf-8'

/** Paths of the report: one is sent when it is complete, the other is streamed. */
const SUSPENDING = '/suspend'
const STREAMED = '/stream'

// The build writes the server next to the browser's files.
const assetsFolder = join(import.meta.dirname, '../client/assets')
const assets = new Map(
  readdirSync(assetsFolder).map((name) => [`/assets/${name}`, readFileSync(join(assetsFolder, name))])
)
const [script] = assets.keys()

createServer(async function respond(request, response) {
  const path = request.url!
  const asset = assets.get(path)
  if (asset) return send(response, 200, 'text/javascript', asset)
  if (path === SUSPENDING || path === STREAMED) return sendReport(response, path)
  const isData = path.startsWith(DATA_PREFIX + '/')
  const payload = await findPayload(isData ? path.slice(DATA_PREFIX.length) : path)
  if (!payload) return send(response, 404, 'text/plain', 'Not found')
  if (isData) return send(response, 200, 'application/json', JSON.stringify(payload))
  const head = renderHead(toTitle(payload))
  send(response, 200, HTML, head + renderToString(createPage(payload)) + renderFoot(payload))
}).listen(Number(process.env.PORT), process.env.HOST)

async function findPayload(path: string): Promise<Payload | undefined> {
  if (path === '/') return { path, page: 'home', data: { greeting: 'Welcome aboard' } }
  if (path === '/list') return { path, page: 'list', data: { items: await listItems() } }
  if (path === '/rows') return { path, page: 'rows', data: { rows: await listRows() } }
  if (path === '/deep') return { path, page: 'deep' }
  if (path === '/form') return { path, page: 'order' }
  if (path === SUSPENDING || path === STREAMED) return { path, page: 'report', data: await settle(openReport()) }
  if (path.startsWith(CARDS_PREFIX))
    return { path, page: 'list', data: { items: await listMany(Number(path.slice(CARDS_PREFIX.length))) } }
  if (!path.startsWith(ITEM_PREFIX)) return undefined
  const item = await findItem(path.slice(ITEM_PREFIX.length))
  return item && { path, page: 'item', data: { item } }
}

/**
 * Sends a report with `renderToPipeableStream`, because `renderToString` cannot wait for data. The payload comes after
 * the page, when all data has arrived.
 */
function sendReport(response: ServerResponse, path: string) {
  const report = openReport()
  const isStreamed = path === STREAMED
  const chunks: Buffer[] = []
  const html = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (isStreamed) response.write(chunk)
      else chunks.push(chunk)
      done()
    },
    async final(done) {
      const payload: Payload = { path, page: 'report', data: await settle(report) }
      if (isStreamed) response.end(renderFoot(payload))
      else send(response, 200, HTML, renderHead(toTitle(payload)) + Buffer.concat(chunks) + renderFoot(payload))
      done()
    }
  })
  const stream = renderToPipeableStream(createOpenReport(path, report), {
    // With Infinity React writes each list in its place, so that no script has to move it there.
    progressiveChunkSize: isStreamed ? undefined : Infinity,
    onShellReady() {
      if (!isStreamed) return
      response.writeHead(200, { 'content-type': HTML })
      response.write(renderHead('Report'))
      stream.pipe(html)
    },
    onAllReady() {
      if (!isStreamed) stream.pipe(html)
    }
  })
}

const renderHead = (title: string) =>
  '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
  '<meta name="viewport" content="width=device-width, initial-scale=1">' +
  `<title>${title}</title><script type="module" src="${script}"></script></head><body>` +
  `<div id="root">`

const renderFoot = (payload: Payload) =>
  `</div><script type="application/json" id="payload">${toInlineJson(payload)}</script></body></html>`

/** Escapes `<`, so that the JSON cannot close its script element. */
function toInlineJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}

function send(response: ServerResponse, status: number, type: string, body: string | Buffer) {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}
