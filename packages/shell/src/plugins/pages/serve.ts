import type { FastifyReply, FastifyRequest } from 'fastify'
import { runDetached } from '@hull/common/async-context.ts'
import { type CachedRenderMessage, CHANNELS, DOCUMENTS } from '@hull/common/channels.ts'
import { publishDocument, publishWork } from '../../server/publish.ts'
import { isThenable } from '@hull/common/is-thenable.ts'
import { dataHeaders, encodePageData, type PageDataOptions, streamPageData } from '../../render/page-data.ts'
import { checkActionResult, checkDone } from '../../render/check-page.ts'
import { checkMeta, loadData, loadMeta } from '../../render/load-page.ts'
import { inspectData } from '../../render/inspect-data.ts'
import { enterPage, openRouteContext } from '../../render/route-context.ts'
import { PageContext } from '../../render/page-context.ts'
import type { Page } from '../../render/site.ts'
import type { PageDocument } from '../../render/document.ts'
import { Deadline } from '../../render/deadline.ts'
import { readTags, variedKey } from '../../render/shared-page.ts'
import { sendStored, StoredReply } from './stored.ts'
import { readForm, toFormState } from '../../http/form.ts'
import { discardUploads, readUploads } from '../../http/uploads.ts'
import { originOf, searchOf } from '@hull/common/http/request.ts'
import { prefersJson } from '../../http/negotiate.ts'
import { CachePrivate } from '../../errors.ts'
import { Redirect } from '@hull/common/outcomes.ts'
import { BUILD_HEADER, emptyPagePayload, FETCHER_HEADER, type PagePayload } from '../../routing/payload.ts'
import type { PagesContext } from './options.ts'
import type { PageVisit } from './visit.ts'

/** Result of an action: the state of a refused form, or data and the page data to request again. */
type ActionResult = Partial<Pick<PagePayload, 'data' | 'form' | 'refresh'>>

interface LoadedPayload {
  payload: PagePayload
  /** True if the payload's data is a plain tree. */
  plain: boolean
  /** Tags of a document that is rendered once for all visitors. */
  tags?: readonly string[]
}

/** nginx then passes on each part of a stream, as without buffering. */
const UNBUFFERED = { 'x-accel-buffering': 'no' }

/** Serves pages that have passed their guards. */
export function createPageServer({ state, dev, buildId, baseUrl, renderTimeout, signInPath, cache }: PagesContext) {
  return { servePage }

  async function servePage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const visit = request.visit!
    const { page, ctx, deadline, shared } = visit
    const wantsData = request.isPageData || (request.method === 'POST' && prefersJson(request.headers.accept))
    // Development renders every document again, with the same checks.
    if (shared && !dev) {
      // Pages contain their origin, so the key does too.
      const kind = wantsData ? 'data' : 'page'
      const key = `${kind} ${originOf(request, baseUrl)}${ctx.pathname}${shared.search}${variedKey(shared.varied)}`
      const stored = await deadline.race(
        cache.get({ key, path: ctx.pathname }, page.module.cache!, () => renderForAll(request, reply, visit, wantsData))
      )
      deadline.stop()
      return sendStored(request, reply, stored, page.module.cache!)
    }
    let streaming = false
    try {
      const isFetcher = wantsData && request.method === 'POST' && request.headers[FETCHER_HEADER] !== undefined
      const action = request.method === 'POST' ? await runAction(reply, visit, isFetcher) : undefined
      // A function of the page has already answered.
      if (reply.sent) return reply
      if (isFetcher) {
        // The result of the action, without the data of the page.
        const payload = { ...emptyPagePayload(buildId, ctx.pathname), data: null, ...action }
        return await sendData(request, reply, { payload, plain: inspectData(payload.data) }, deadline)
      }
      const loaded = await loadPayload(visit, { wantsData, form: action?.form })
      if (reply.sent) return reply
      if (wantsData && !page.module.streaming) return await sendData(request, reply, loaded, deadline)
      if (wantsData) {
        const { body, codec } = streamPageData(loaded.payload, toDataOptions(request, loaded, deadline))
        streaming = true
        const headers = { ...dataHeaders(codec), ...UNBUFFERED }
        return await reply.header('cache-control', 'private, no-store').headers(headers).send(body)
      }
      const document = toDocument(request, reply, visit, loaded)
      reply.type('text/html; charset=utf-8').header(BUILD_HEADER, buildId)
      if (page.module.streaming) {
        DOCUMENTS.publish({ server: request.server, request, reply })
        loaded.payload.deadline = renderTimeout
        const stream = await publishRender(visit, () => state.documents.writeStream(document, reply.useNonce()))
        streaming = true
        return await reply.header('cache-control', 'no-store').headers(UNBUFFERED).send(stream)
      }
      document.extraHead = publishDocument(request, reply)
      const nonce = dev ? reply.useNonce() : ''
      const whole = await publishRender(visit, () => state.documents.writeWhole(document, nonce))
      if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'private, no-cache')
      return await reply.send(whole)
    } finally {
      // A stream ends its deadline itself.
      if (!streaming) deadline.stop()
    }
  }

  /**
   * Runs the page's action.
   * @returns the form's state if the action refused the input; for a fetcher, also the result of a success; nothing if
   * the action has answered itself
   * @throws Redirect to the next page otherwise
   */
  async function runAction(reply: FastifyReply, visit: PageVisit, isFetcher: boolean): Promise<ActionResult> {
    const { page, ctx, deadline } = visit
    await readInput(reply, visit)
    const result = await publishWork(CHANNELS.action, ctx.toMessage(page.pattern.path), () =>
      deadline.race(act(page, ctx))
    )
    if (reply.sent) return {}
    const invalid = checkActionResult(page.file, result)
    if (invalid) {
      reply.code(invalid.status ?? 422)
      return { form: toFormState(ctx.form, invalid) }
    }
    if (!isFetcher) throw new Redirect(reply.request.url)
    const { data, refresh } = checkDone(page.file, result)
    return { data, refresh }
  }

  /** Discards the files in the application's store if a schema or a form token refuses the form before the action. */
  async function act({ module }: Page, ctx: PageContext): Promise<unknown> {
    try {
      return await module.action!(ctx)
    } finally {
      if (module.uploads && !ctx.hasActed) await discardUploads(module.uploads, ctx.uploads, ctx.log)
    }
  }

  /** Reads the posted form. The time that the visitor needs to send files is not the page's. */
  async function readInput(reply: FastifyReply, { page, ctx, deadline, isStreamed }: PageVisit) {
    const { request } = reply
    const policy = page.module.uploads
    if (!policy || !isStreamed) {
      ctx.form = await readForm(request.body as Buffer | undefined, request.headers)
      return
    }
    deadline.pause()
    const textLimit = request.server.initialConfig.bodyLimit!
    Object.assign(ctx, await readUploads(reply, { policy, ctx, textLimit }))
    deadline.restart()
  }

  async function loadPayload(
    { page, ctx, deadline, shared }: PageVisit,
    { wantsData, form }: { wantsData: boolean; form?: PagePayload['form'] }
  ): Promise<LoadedPayload> {
    const loading = loadData(page, ctx, deadline)
    const loaded = isThenable(loading) ? await loading : loading
    const [data, ...layoutData] = loaded.data
    let { plain } = loaded
    ctx.data = data
    ctx.clientOnly = page.module.clientOnly === true
    ctx.serverOnly = page.module.serverOnly === true
    const meta = loadMeta(page, ctx)
    ctx.head = isThenable(meta) ? await deadline.race(meta) : meta
    // For page data, the browser runs `onEnter`.
    const entered = !wantsData && page.module.onEnter !== undefined
    if (entered) {
      await enterPage(page, ctx, deadline)
      ctx.head = checkMeta(page, ctx, ctx.head)
      plain &&= inspectData(ctx.data)
    }
    const payload: PagePayload = {
      build: buildId,
      page: page.pattern.id,
      pathname: ctx.pathname,
      params: ctx.params,
      data: ctx.data,
      layouts: page.layouts.map(({ name }) => name),
      layoutData,
      meta: ctx.head
    }
    if (!wantsData && ctx.state) {
      payload.state = ctx.state
      plain &&= inspectData(ctx.state)
    }
    if (entered && ctx.clientOnly && !page.module.clientOnly) payload.clientOnly = true
    if (signInPath !== undefined) payload.signInPath = signInPath
    if (form) payload.form = form
    return { payload, plain, tags: shared && readTags(page.file, page.module.cache!, ctx) }
  }

  function toDocument(
    request: FastifyRequest,
    reply: FastifyReply,
    { page, ctx, deadline, shared }: PageVisit,
    { payload, plain }: LoadedPayload
  ): PageDocument {
    const { module } = page
    return {
      view: {
        payload,
        search: shared?.search ?? searchOf(request.url),
        page: { Component: module.default, clientOnly: module.clientOnly === true || payload.clientOnly === true },
        layouts: page.layouts.map((layout) => layout.module),
        context: ctx
      },
      sources: page.sources,
      plain,
      script: module.serverOnly !== true,
      unreported: request.routeOptions.config.unreported,
      isShared: shared !== undefined,
      deadline,
      nonce: () => {
        if (shared) throw new CachePrivate(shared.page, 'useNonce()', NO_NONCE)
        return reply.useNonce()
      },
      report: (error) => request.reportError(error)
    }
  }

  /** Renders without a visitor, outside of the request's async context. */
  function renderForAll(request: FastifyRequest, reply: FastifyReply, visit: PageVisit, wantsData: boolean) {
    const { server } = request
    const message: CachedRenderMessage = { server, request: undefined, name: visit.page.pattern.path, logFields: {} }
    return runDetached(() =>
      publishWork(CHANNELS.cachedRender, message, () =>
        renderShared(request, reply, visit, { wantsData, logFields: message.logFields })
      )
    )
  }

  /** Renders for all visitors, with its own deadline, so that the first visitor can disconnect. */
  async function renderShared(
    request: FastifyRequest,
    reply: FastifyReply,
    { page, shared, ctx: { params } }: PageVisit,
    { wantsData, logFields }: { wantsData: boolean; logFields: Record<string, unknown> }
  ) {
    const deadline = new Deadline(renderTimeout)
    const stored = new StoredReply()
    const log = request.server.log.child({ page: page.pattern.path, ...logFields })
    let failed = false
    const onFailure = () => {
      failed = true
    }
    try {
      const ctx = new PageContext({ request, reply: stored, file: page.file, params, deadline, shared, log, baseUrl })
      const visit = { page, ctx, deadline, shared }
      await openRouteContext(state.site.entry.context, ctx, deadline)
      const loaded = await loadPayload(visit, { wantsData })
      const { body, headers } = wantsData
        ? await renderData(request, loaded, deadline, onFailure)
        : {
            body: await publishRender(visit, () =>
              state.documents.writeWhole({ ...toDocument(request, reply, visit, loaded), onFailure })
            ),
            headers: { 'content-type': 'text/html; charset=utf-8', [BUILD_HEADER]: buildId }
          }
      const { tags = [] } = loaded
      if (tags.length > 0) stored.header('cache-tag', tags.join(','))
      return { body, status: stored.statusCode, headers: { ...stored.headers, ...headers }, tags, failed }
    } finally {
      deadline.stop()
    }
  }
}

const publishRender = <T>({ page, ctx }: PageVisit, render: () => T): T =>
  publishWork(CHANNELS.render, ctx.toMessage(page.pattern.path), render)

/** Sends data for one visitor. */
async function sendData(request: FastifyRequest, reply: FastifyReply, loaded: LoadedPayload, deadline: Deadline) {
  const { body, headers } = await renderData(request, loaded, deadline)
  return reply.header('cache-control', 'private, no-store').headers(headers).send(body)
}

async function renderData(
  request: FastifyRequest,
  loaded: LoadedPayload,
  deadline: Deadline,
  onFailure?: PageDataOptions['onFailure']
) {
  const options = { ...toDataOptions(request, loaded, deadline), onFailure }
  const { body, codec } = await encodePageData(loaded.payload, options)
  return { body, headers: dataHeaders(codec) }
}

const toDataOptions = (request: FastifyRequest, { plain }: LoadedPayload, deadline: Deadline): PageDataOptions => ({
  plain,
  deadline,
  report: (error) => request.reportError(error)
})

const NO_NONCE = 'remove `cache` from the page, or give it a layout that does not call useNonce()'
