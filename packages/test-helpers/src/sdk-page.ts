import { createServer } from 'node:http'
import { join } from 'node:path'
import type { Test } from 'tap'
import { build, type Rollup } from 'vite'
import { listen } from './listen.ts'

const ENTRY = join(import.meta.dirname, '../../monitoring/test/fixtures/sdks/browser.mjs')

/** Bundles the page's script with a version of the SDK. @param name package name of that version */
async function bundle(name: string): Promise<string> {
  const outputs = (await build({
    configFile: false,
    logLevel: 'error',
    resolve: { alias: [{ find: /^@sentry\/browser$/, replacement: name }] },
    build: {
      write: false,
      minify: false,
      lib: { entry: ENTRY, formats: ['iife'], name: 'client', fileName: () => 'client.js' }
    }
  })) as Rollup.RollupOutput[]
  return outputs[0]!.output[0].code
}

/**
 * A page on an origin of its own that reports to `dsn` with a version of @sentry/browser; closed with the test. It
 * answers every POST with 204.
 * @returns its origin
 */
export async function servePage(t: Test, dsn: string, name = '@sentry/browser'): Promise<string> {
  const script = await bundle(name)
  const server = createServer((request, response) => {
    request.resume()
    if (request.method === 'POST') return response.writeHead(204).end()
    if (request.url === '/client.js') return response.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
    const html = `<!doctype html><html data-dsn="${dsn}"><link rel="icon" href="data:,"><script src="/client.js"></script>`
    return response.writeHead(200, { 'content-type': 'text/html' }).end(html)
  })
  return (await listen(t, server)).origin
}
