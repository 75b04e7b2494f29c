import { withBasePath, withoutBasePath } from '../base-path.ts'
import type { Show, Viewer } from '../entry/root.tsx'
import { listenForIntents } from './clicks.ts'
import { Entries } from './entries.ts'
import { DocumentLoad, documentUrl } from './document-load.ts'
import type { NavigationEnd } from '@hull/common/browser-shell.ts'
import { isAllowedInPlace, startNavigation } from '../events.ts'
import { findLoadingViews, nameOfPath } from '../modules.ts'
import { isWebAddress, resolveLink, setNavigator, type Navigator } from './navigate.ts'
import { setNavigation } from './navigation-state.ts'
import { chooseFailureAction, toErrorView } from './failed-move.ts'
import { afterUpdates, isHeld, openGuard } from './leave-guard.ts'
import { Prefetches } from './prefetches.ts'
import { countRedirect, endChainIfPageStays, watchVisitor } from './redirects.ts'
import { toNotice } from './notices.ts'
import { untilReachable } from './reachable.ts'
import { createStatusLine } from './status-line.ts'
import { toFormMove, toLinkMove, type Move } from './move.ts'
import { loadRoute, type ArrivedPage, type LoadedPage, type NavigationResult } from './load-route.ts'
import { createShownPage } from './shown-page.ts'
import { watchTask } from '../timeout.ts'
import { reloadsItself } from '../view/head.ts'

interface Pending {
  controller: AbortController
  path: string
  form?: HTMLFormElement
  quiet?: boolean
  /** Element that had the focus when the navigation was requested. */
  focused: Element | null
  isInTask: () => boolean
  settled: Promise<void>
}

/**
 * Shows pages in the hydrated document. The shown page stays until the next one is ready, and the newest request has
 * precedence. A page that cannot be shown in place is loaded as a document, so every navigation ends at a page.
 */
export function createNavigator(opened: Omit<LoadedPage, 'url'>): Viewer {
  const { build } = opened.view.payload
  const entries = new Entries()
  const prefetches = new Prefetches()
  const status = createStatusLine()
  const documents = new DocumentLoad(() => {
    becomeIdle()
    void renew()
  })
  const page = createShownPage(
    { ...opened, url: documentUrl() },
    {
      entries,
      onShown({ quiet }) {
        if (!quiet) isStale = false
        hasActed = false
        prefetches.clearDynamic()
      },
      openDocument
    }
  )
  let pending: Pending | undefined
  /** Time of the visitor's last request for a page, from `performance.now()`. */
  let requestedAt = 0
  /** The form whose answer leads to a document, until that has arrived or is no longer expected. */
  let answered: HTMLFormElement | undefined
  /** True if the shown page's data is to be requested again when nothing else is pending. */
  let isStale = false
  /** True if an action of a fetcher has changed what the page shows, until a page is shown again. */
  let hasActed = false

  return {
    attach,
    retry: () => reloadShown(),
    reload: () => reloadShown({ keepScroll: true, quiet: true, showsErrors: true })
  }

  function attach(show: Show) {
    page.attach(show)
    // The visitor may have gone back while the script was loading.
    if (page.is(new URL(location.href))) entries.keep(page.current)
    else onPopState()
    setNavigator({ address, navigate, refresh, prefetch: prefetchAddress, expire })
    watchVisitor()
    if (!pending) endChainIfPageStays()
    listenForIntents({ follow, submit, prefetch: (link) => prefetch(toUrl(link)) })
    addEventListener('popstate', onPopState)
    addEventListener('online', () => void reconnect())
    // The browser has kept this document while another one was shown, in which anything may have changed.
    addEventListener('pageshow', ({ persisted }) => {
      if (persisted) void refresh()
    })
    // Another document takes the place of this one, which the browser may show again later.
    addEventListener('pagehide', () => {
      if (!documents.isLoading && !entries.isAway) stay()
    })
  }

  /** Requests the shown page's data again. */
  function reloadShown(how?: Partial<Move>) {
    return go({ kind: 'replace', url: page.current.url, fresh: true, ...how })
  }

  /** Requests the page that could not be loaded without a connection. */
  async function reconnect() {
    const isOfflineShown = () => page.current.view.payload.error?.offline
    if (!isOfflineShown()) return
    await untilReachable()
    if (isOfflineShown() && !pending) await reloadShown()
  }

  function address(): string {
    return entries.isAway ? page.current.url.href : location.href
  }

  function navigate(...[to, { replace = false, keepScroll, sentAt } = {}]: Parameters<Navigator['navigate']>) {
    const url = resolveLink(withBasePath(to))
    if (!isWebAddress(url)) return
    const isAnswer = sentAt !== undefined
    // The visitor prefers another page, whose data may be older than the action.
    if (isAnswer && requestedAt > sentAt) return void expire()
    // The answer to a form leads to new data, also of the same page.
    if (!isAnswer && url.origin === location.origin && isFragment(url)) {
      entries.noteScroll()
      return replace ? page.replaceHash(url) : location.assign(url)
    }
    countRedirect(url.href)
    if (isAnswer) openGuard()
    afterUpdates(() => {
      if (url.origin !== location.origin) location[replace ? 'replace' : 'assign'](url)
      else void go({ kind: replace || page.is(url) ? 'replace' : 'push', url, keepScroll })
    })
  }

  async function refresh() {
    // Something has changed on the server, also for other pages.
    prefetches.clearDynamic()
    entries.forget()
    isStale = true
    if (!pending) await renew()
  }

  /** Requests the shown page's data again if it was asked for meanwhile. */
  async function renew() {
    if (isStale) await reloadShown({ keepScroll: true, quiet: true })
  }

  async function expire(paths?: string[]) {
    forgetAll()
    if (paths?.length === 0) return
    // The data of a pending page may be older.
    while (pending) await pending.settled
    if (paths && !paths.some(isShownPath)) return
    hasActed = true
    await refresh()
  }

  /** The home page also has the address of the base path without a slash. */
  function isShownPath(path: string): boolean {
    const { pathname, search } = new URL(withBasePath(path), location.href)
    return (
      search === page.current.url.search && withoutBasePath(pathname) === withoutBasePath(page.current.url.pathname)
    )
  }

  function prefetchAddress(to: string) {
    if (URL.canParse(to, location.href)) prefetch(resolveLink(withBasePath(to)), 'low')
  }

  function prefetch(url: URL, priority?: RequestPriority) {
    const isPending = url.pathname + url.search === pending?.path
    if (url.origin === location.origin && !page.is(url) && !isPending) prefetches.start(url, priority)
  }

  function follow(link: HTMLAnchorElement): boolean {
    const url = toUrl(link)
    if (isFragment(url)) {
      // The browser handles the fragment, including the focus and :target. A pending navigation would undo this.
      stay()
      entries.noteScroll()
      if (link.dataset.replace === undefined) return false
      page.replaceHash(url)
      return true
    }
    void go(toLinkMove(url, link, page.is))
    return true
  }

  function submit(form: HTMLFormElement, submitter: HTMLElement | null): boolean {
    // A second click on the same button.
    if (form === (pending?.form ?? answered)) return true
    const move = toFormMove(form, submitter, page.is)
    if (!move) return false
    void go(move, move.body && form)
    return true
  }

  function onPopState() {
    const isNew = typeof (history.state as { key?: unknown } | null)?.key !== 'string'
    // The position has not changed yet, and the scroll event follows only with the next frame.
    if (!isNew) entries.noteScroll()
    const key = entries.adopt()
    const url = new URL(location.href)
    if (!page.is(url)) return void go({ kind: 'back', url })
    stay()
    page.moveTo(url, key, isNew)
  }

  async function go(move: Move, form?: HTMLFormElement): Promise<void> {
    const { url, body, formData, quiet } = move
    const isInPlace = body !== undefined || mayShow(url, quiet)
    if (!body && url.pathname !== page.current.url.pathname && waits(move, isInPlace)) return
    leave(quiet)
    if (quiet) isStale = false
    else requestedAt = performance.now()
    // The scroll event follows only with the next frame. When going back, onPopState has already noted the position.
    if (move.kind !== 'back') entries.noteScroll()
    if (!isInPlace) return openDocument(url, move.kind)
    prefetches.abortOthers(url)
    const controller = new AbortController()
    const { signal } = controller
    const path = url.pathname + url.search
    const { promise: settled, resolve: settle } = Promise.withResolvers<void>()
    const own = (pending = {
      controller,
      path,
      form,
      quiet,
      focused: document.activeElement,
      isInTask: watchTask(),
      settled
    })
    let failing = move
    const onAccepted = (to: URL) => {
      // A failure from now on is that of the next page. The form must not be sent again.
      failing = { ...move, url: to, body: undefined, formData: undefined }
    }
    const kept = move.kind === 'back' ? entries.viewOf(entries.adopt(), url) : undefined
    const prefetched = body || move.fresh || kept ? undefined : prefetches.peek(path)
    const ended = quiet ? undefined : startNavigation({ routeName: nameOfPath(url.pathname), url, prefetched })
    const ending: NavigationEnd = {}
    let stopWaiting: (() => void) | undefined
    try {
      // Requested before components are notified and rendered.
      const loading: NavigationResult | Promise<NavigationResult> = kept
        ? { kind: 'view', url, ...kept, view: { ...kept.view }, replace: false }
        : loadRoute(move, { build, prefetches, signal, onAccepted })
      if (!quiet)
        setNavigation({
          state: body ? 'submitting' : 'loading',
          to: (withoutBasePath(url.pathname) ?? url.pathname) + url.search + url.hash,
          formData
        })
      // Another query is the same page, and keeps its state. A form keeps its fields until the next page is there.
      if (findLoadingViews() && !kept && !quiet && !formData && url.pathname !== page.current.url.pathname)
        stopWaiting = page.hideIfSlow(move, signal)
      const arrival = await loading
      stopWaiting?.()
      if (body) forgetAll()
      if (signal.aborted) return
      if (arrival.kind === 'view') ending.routeName = nameOfPath(arrival.url.pathname)
      await end(move, arrival, controller)
    } catch (error) {
      // The action may have run, also if the visitor did not wait for it.
      if (body) forgetAll()
      if (signal.aborted) return
      ending.error = error
      page.takeBack()
      controller.abort()
      await fail(failing, error, () => pending === own)
    } finally {
      stopWaiting?.()
      settle()
      ended?.(ending)
      if (pending === own) {
        pending = undefined
        if (documents.isLoading) answered ??= form
        else {
          becomeIdle()
          endChainIfPageStays()
          void renew()
        }
      }
    }
  }

  /**
   * Whether a page may be shown in this document.
   * @param isSame whether it is the shown page with new data, or with a refused form
   */
  function mayShow(url: URL, isSame = false): boolean {
    return isAllowedInPlace(url) && (isSame || !reloadsItself(page.current.view.payload.meta))
  }

  /** Whether the visitor is asked before leaving the shown page. */
  function waits(move: Move, isInPlace: boolean): boolean {
    const steps = move.kind === 'back' ? entries.stepsBack() : 0
    // The browser asks before it loads a document.
    if (!isInPlace && !steps) return false
    const isWaiting = isHeld(move.url, () => (steps ? history.go(-steps) : void go(move)))
    // The browser is at the next entry already.
    if (isWaiting && steps) history.go(steps)
    return isWaiting
  }

  /** The visitor stays on the page: cancels a navigation, but not a form, whose action may have run. */
  function stay() {
    if (pending?.form ?? answered) return
    if (pending?.quiet) documents.stop()
    else leave()
    becomeIdle()
  }

  /** No navigation is in progress any more. The page that a loading view has hidden is shown again. */
  function becomeIdle() {
    answered = undefined
    setNavigation()
    page.reveal()
  }

  /**
   * Aborts the pending navigation and document load.
   * @param quiet the page itself asks for new data, which must not stop a document that the visitor asked for
   */
  function leave(quiet = false) {
    if (!quiet) {
      documents.stop()
      answered = undefined
    }
    page.takeBack()
    if (pending?.quiet) isStale = true
    // Before the next navigation uses data from before the action, which may have run.
    if (pending?.form) forgetAll()
    pending?.controller.abort()
    pending = undefined
  }

  async function end(move: Move, arrival: NavigationResult, controller: AbortController): Promise<void> {
    if (move.quiet && !move.showsErrors && (arrival.kind !== 'view' || arrival.view.payload.error)) {
      if (arrival.kind !== 'document' || arrival.isFile) return
      if (hasActed) {
        // Such as of a new build. Without a document, the page would show the old value again.
        hasActed = false
        openDocument(arrival.url, move.kind)
      } else if (arrival.isOutdated) {
        // Not a document by itself: the visitor may be typing.
        status.warn({ sentence: toNotice('page-outdated') })
      }
      return
    }
    // The page's request for new data is redirected to another page.
    const isRedirected = move.quiet && arrival.kind === 'view' && arrival.url.pathname !== page.current.url.pathname
    const onward: Move = isRedirected ? { kind: 'replace', url: arrival.url } : move
    if (isRedirected && isHeld(arrival.url, () => void go(onward))) return
    if (arrival.kind === 'view' && mayShow(arrival.url, onward.quiet ?? arrival.view.payload.form !== undefined))
      return commit(onward, arrival, controller)
    if (arrival.kind === 'unshowable') status.warn(arrival)
    else if (arrival.kind === 'document' && arrival.isFile) location.assign(arrival.url)
    // A redirect may replace the entry.
    else openDocument(arrival.url, arrival.replace && move.kind === 'push' ? 'replace' : move.kind)
  }

  function commit(move: Move, arrived: ArrivedPage, controller: AbortController): Promise<void> {
    // A refused form stays with its page, unless a fetcher has sent it again.
    if (move.quiet && !hasActed && page.is(arrived.url))
      arrived.view.payload = { ...arrived.view.payload, form: page.current.view.payload.form }
    const { isInTask, focused } = pending!
    const isReady = isInTask() && arrived.late?.isSettled !== false
    return page.replaceBy(arrived, { move, controller, focused, isReady })
  }

  /** @param isWanted whether no other navigation has been requested since */
  async function fail(move: Move, error: unknown, isWanted: () => boolean): Promise<void> {
    if (move.quiet) return
    const action = await chooseFailureAction(move, error)
    if (!isWanted()) return
    if ('sentence' in action) return status.warn(action)
    if ('error' in action) {
      const { url } = move
      const view = toErrorView(url, page.current.view, action.error)
      await commit(move, { kind: 'view', url, view, replace: false, size: 0 }, new AbortController())
      // The connection may have come back meanwhile.
      if (navigator.onLine) void reconnect()
      return
    }
    console.warn(`${move.url.pathname} is loaded as a document:`, error)
    openDocument(move.url, move.kind)
  }

  /** Removes cached data: a form may have changed data on the server. */
  function forgetAll() {
    prefetches.clear()
    entries.forget()
  }

  function openDocument(url: URL, kind: Move['kind']) {
    const isThere = kind === 'back' && url.href === location.href
    // Only the hash differs: browsers do not load a document for this.
    const isSame = !isThere && page.is(url)
    if (isSame) entries.add(url, true)
    documents.load(url, isThere || isSame ? 'reload' : kind)
  }

  function isFragment(url: URL): boolean {
    return !entries.isAway && page.is(url) && (url.hash !== '' || url.href.endsWith('#'))
  }
}

const toUrl = (link: HTMLAnchorElement) => resolveLink(link.getAttribute('href')!)
