import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fastifyStatic from '@fastify/static'
import Fastify from 'fastify'
import type { Page } from 'playwright'
import t, { type Test } from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { bareEnv, bareNode } from '@hull/test-helpers/bare-node.ts'
import { hydrated, launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { buildSite, type SiteOptions } from '@hull/test-helpers/site.ts'
import { runChild } from '../../../../scripts/child.js'
import { exportPages, type ExportOptions, type ExportProblem } from '../../src/commands/export/export-pages.ts'
import { openExport } from '../../src/commands/export/folder.ts'

const FIXTURE = join(import.meta.dirname, '../fixtures/export')
const PROJECT = join(import.meta.dirname, '../../../..')
const BASE_URL = 'https://app.example'

const browser = await launchBrowser(t)

async function exportSite(t: Test, basePath: string, options: Partial<ExportOptions>) {
  const place: SiteOptions['place'] = { basePath }
  const site = await buildSite(FIXTURE, { place })
  const { app, logs } = await createTestApp(t, { site, env: options.baseUrl ? { BASE_URL: options.baseUrl } : {} })
  const folder = join(createFolder(t), 'out')
  const output = openExport(folder, site.dist)
  const problems: ExportProblem[] = []
  for await (const { file, problem } of exportPages(app, { exclude: [], include: [], ...options }))
    if (file) output.write(file)
    else problems.push(problem!)
  output.finish()
  return { folder, dist: site.dist, problems, logs }
}

/** Serves a folder of files below a prefix, with its 404.html. */
async function serve(t: Test, root: string, prefix: string): Promise<string> {
  const host = Fastify()
  t.teardown(() => host.close())
  await host.register(fastifyStatic, { root, prefix: `${prefix}/`, redirect: true })
  host.setNotFoundHandler((_request, reply) => reply.code(404).sendFile('404.html'))
  const origin = await host.listen({ host: '127.0.0.1', port: 0 })
  host.server.unref()
  return origin
}

const shows = (page: Page, text: string) =>
  until(page, (text) => document.querySelector('h1')?.innerText === text, text)

for (const basePath of ['', '/shop']) {
  t.test(`an exported site works on a static host at ${basePath || 'the root'}`, async (t) => {
    const { folder, problems } = await exportSite(t, basePath, { baseUrl: BASE_URL, exclude: ['/live/'] })
    t.same(problems, [])
    t.notOk(existsSync(join(folder, 'live')))
    const origin = await serve(t, folder, basePath)

    t.test('with JavaScript', async (t) => {
      const { page, open, press, pathsOf, take } = await openTab(t, browser, { origin })
      await open(`${basePath}/`)
      await hydrated(page)
      t.equal(await page.locator('link[rel=canonical]').getAttribute('href'), `${BASE_URL}${basePath}/`)
      await page.getByRole('button').click()
      await page.getByRole('button', { name: 'Count: 1' }).waitFor()
      const link = (name: string) => page.getByRole('link', { name, exact: true })
      await link('About').click()
      await shows(page, 'Founded in 2026, at /about')
      t.equal(page.url(), `${origin}${basePath}/about`)
      t.equal(await page.title(), 'About')
      await link('Late').click()
      await shows(page, '12 in stock')
      await link('Rope').click()
      await shows(page, 'Rope and twine')
      await page.goBack()
      await shows(page, '12 in stock')
      t.same(pathsOf('document'), [`${basePath}/`], 'every navigation was without a document')

      await press(link('Quiet'))
      await shows(page, 'Without script')
      await page.goBack()
      await shows(page, '12 in stock')
      await hydrated(page)
      await press(link('None'))
      await hydrated(page)
      t.match(await page.locator('main').innerText(), /404|not found|no page/i)
      t.equal(new URL(page.url()).pathname, `${basePath}/items/none`)
      // The document of the 404 page replaces a page whose script may still be loading.
      const expected = /\/items\/none|\/assets\/_id_-\S+ net::ERR_ABORTED/
      const foreign = (await take()).filter((problem) => !expected.test(problem))
      t.same(foreign, [], 'only the missing files are refused')
      await link('Home').click()
      await shows(page, 'Home at /')
    })

    t.test('from an address with the trailing slash of a folder', async (t) => {
      const { page, open, pathsOf } = await openTab(t, browser, { origin })
      await open(`${basePath}/about?from=host#top`)
      await hydrated(page)
      t.equal(
        page.url(),
        `${origin}${basePath}/about?from=host#top`,
        'the host added the slash, and the page removed it'
      )
      t.equal(await page.getByRole('link', { name: 'About' }).getAttribute('aria-current'), 'page')
      await page.getByRole('link', { name: 'Home' }).click()
      await shows(page, 'Home at /')
      await page.goBack()
      await shows(page, 'Founded in 2026, at /about')
      t.equal(pathsOf('document').length, 2, 'one redirect and one document')
    })

    t.test('without JavaScript', async (t) => {
      const { page, open, press } = await openTab(t, browser, { origin, javaScriptEnabled: false })
      await open(`${basePath}/`)
      for (const [name, text] of [
        ['About', 'Founded in 2026, at /about'],
        ['Late', '12 in stock'],
        ['Rope', 'Rope and twine'],
        ['Home', 'Home at /']
      ] as const) {
        await press(page.getByRole('link', { name, exact: true }))
        t.equal(await page.locator('h1').innerText(), text)
      }
    })
  })
}

t.test('the command reports problems, and writes nothing', async (t) => {
  const folder = join(createFolder(t), 'out')
  const runWith = (env: NodeJS.ProcessEnv, ...args: string[]) =>
    runChild('env', bareNode('packages/shell/src/commands/export.ts', folder, ...args), {
      cwd: PROJECT,
      env: { PATH: process.env.PATH, ...env },
      capture: true
    })
  const run = (...args: string[]) => runWith({}, ...args)
  const [refused, unknown, value, help] = await Promise.all([
    run('--set=INBOX=off', '--exclude=/inbox'),
    run('--only=/'),
    run('--set=INBOX'),
    run('--help')
  ])
  t.match(help, { code: 0, output: /^hull-export \[folder\].*\n$/ })
  t.equal(refused.code, 1)
  t.match(refused.output, /^ {2}\/lab\/forbidden \(client\/pages\/lab\/forbidden\.tsx\): has a guard, in the /m)
  t.match(refused.output, 'leave them out with --exclude=/path')
  t.notMatch(refused.output, '/inbox')
  for (const { code, output } of [unknown, value]) {
    t.equal(code, 1)
    t.match(output, /hull-export \[folder\]/)
    t.notMatch(output, /\n +at /, 'the output has no stack trace')
  }
  for (const name of ['exclude', 'set']) {
    const { code, output } = await runWith({ [`npm_config_${name}`]: 'LAB=off' })
    t.equal(code, 1)
    t.equal(
      output,
      `npm took --${name} for an option of its own. Write -- before the options: npm run export -- --${name}=…\n`
    )
  }
  t.notOk(existsSync(folder))
})

t.test('an export that fails to copy the build leaves no files', async (t) => {
  const [folder, dist] = [createFolder(t), createFolder(t)]
  mkdirSync(join(dist, 'client'))
  writeFileSync(join(dist, 'client/a.txt'), 'a')
  // A named pipe cannot be copied, like a file on a full disk.
  execFileSync('mkfifo', [join(dist, 'client/b')])
  t.throws(() => openExport(join(folder, 'out'), dist))
  t.same(readdirSync(folder), [])
})

t.test('an interrupted command leaves no files', async (t) => {
  const [folder, temporary] = [createFolder(t), createFolder(t)]
  const child = spawn('env', bareNode('packages/shell/src/commands/export.ts', join(folder, 'out')), {
    cwd: PROJECT,
    env: { ...bareEnv(), TMPDIR: temporary },
    stdio: 'ignore'
  })
  const ended = once(child, 'exit')
  await eventually(() => readdirSync(folder).length > 0)
  t.match(readdirSync(temporary).join(), 'hull-command-')
  child.kill('SIGINT')
  t.same(await ended, [130, null])
  t.same([readdirSync(folder), readdirSync(temporary)], [[], []])
})

t.test('names each address that cannot be exported to a file', async (t) => {
  const { problems, logs, folder, dist } = await exportSite(t, '', { include: ['/healthz', '/nowhere'] })
  const reasons = Object.fromEntries(problems.map(({ address, reason }) => [address, reason]))
  t.match(logs.takeErrors().length, 4)
  t.match(reasons, {
    '/': 'writes its own origin: set BASE_URL',
    '/live/action': 'has an action',
    '/live/guard': 'has a guard, in the page',
    '/live/session': /^failed: .*ctx\.session.*leave the page out of the export/,
    '/live/vary': 'depends on the request headers accept-language',
    '/live/redirect': 'redirects to /about',
    '/live/missing': 'answers 404',
    '/live/[id]': /^has parameters: /,
    '/about': /^is an address of another page/,
    '/live/a%2Fb/c': /^is no name of a file/,
    '/live/late': 'failed: nobody counts',
    '/live/client': 'failed: nobody counts in the browser',
    '/live/nonce': /^failed: .*useNonce/,
    '/live/origin': 'writes its own origin: set BASE_URL',
    '/nowhere': 'answers 404'
  })
  t.equal(problems.length, Object.keys(reasons).length)
  t.equal(problems.find(({ address }) => address === '/live/late')!.file, 'client/pages/live/late.tsx')

  t.test('and writes documents that need no response headers', async (t) => {
    const html = readFileSync(join(folder, 'about/index.html'), 'utf8')
    const [, policy] = /<head><meta charset="utf-8"><meta http-equiv="content-security-policy" content="([^"]*)">/.exec(
      html
    )!
    t.match(policy, "script-src 'self'")
    t.notMatch(policy, 'frame-ancestors')
    t.equal(html.match(/<meta charset/g)!.length, 1)
    t.notOk(existsSync(join(folder, '.vite')))
    t.notOk(existsSync(join(folder, 'quiet/index.json')))
  })

  t.test('and replaces only an earlier export', async (t) => {
    openExport(folder, dist).discard()
    const other = join(createFolder(t), 'notes')
    mkdirSync(other)
    openExport(other, dist).discard()
    writeFileSync(join(other, 'note.txt'), '')
    t.throws(() => openExport(other, dist), { code: 'APP_EXPORT_FOLDER' })
  })

  t.test('and keeps the earlier export if the new one cannot replace it', async (t) => {
    const output = openExport(folder, dist)
    output.discard()
    t.throws(() => output.finish(), { code: 'ENOENT' })
    t.ok(existsSync(join(folder, 'about/index.html')))
    openExport(folder, dist).finish()
    t.notOk(existsSync(join(folder, 'about/index.html')))
    t.same(readdirSync(dirname(folder)), ['out'])
  })
})
