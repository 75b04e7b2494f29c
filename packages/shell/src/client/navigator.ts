import type { Show, Viewer } from './entry/root.tsx'
import { ROUTE_LOAD_TIMEOUT } from '@hull/common/constants.ts'
import type { PageError } from '../routing/payload.ts'
import { focusPage, restoreScroll, scrollToHash } from './scroll-focus.ts'
import { listenForIntents } from './clicks.ts'
import { Entries, type KeptView } from './entries.ts'
import { documentUrl } from './document-url.ts'
import type { NavigationEnd } from '@hull/common/browser-shell.ts'
import { isAllowedInPlace, startNavigation } from './events.ts'
import { applyHead } from './head.ts'
import { findPage, nameOfPath } from './modules.ts'
import { setNavigator, type NavigateOptions } from './navigate.ts'
import { setNavigation } from './navigation-state.ts'
import { toErrorView } from './failed-move.ts'
import type { ReceivedValues } from './payload.ts'
import { Prefetches } from './prefetches.ts'
import { isReachable } from './reachable.ts'
import { awaitStay, countRedirect, watchVisitor } from './redirect-chain.ts'
import { RedirectError } from './redirect-error.ts'
import { createStatusLine } from './status-line.ts'
import { readSubmission } from './move.ts'
import { logError } from './log-error.ts'
import { loadRoute, type NavigationResult, type Journey } from './load-route.ts'
import { inViewTransition } from './view-transition.ts'
import type { View } from './view.tsx'
import { within } from './timeout.ts'

/** Milliseconds until a page that is there must be shown: as long as the server gives itself by default. */
const RENDER_TIMEOUT = 10_000

/** One way from the page shown to another. */
interface Move extends Journey {
  /** `back`: the browser has moved to another entry of its history already. */
  kind: 'push' | 'replace' | 'back'
  /** Leave scroll and focus alone. */
  keepScroll?: boolean
  /** As a view transition. */
  transition?: boolean
  /** Asked for by the page itself: what fails is not shown, and nothing is announced. */
  quiet?: boolean
  /** A quiet one after which an error of the server is shown all the same. */
  showsErrors?: boolean
  /** Fields of a form that is on its way. */
  formData?: FormData
}

type ViewResult = Extract<NavigationResult, { kind: 'view' }>

interface Opened extends KeptView {
  late?: ReceivedValues
}

/**
 * Shows one page after another in the hydrated document. The page shown stays until the next one is ready, the newest
 * request wins, and whatever cannot be shown in place is loaded as a document: by that every way ends at a page.
 */
export function createNavigator(opened: Opened): Viewer {
  const { build } = opened.view.payload
  const entries = new Entries()
  const prefetches = new Prefetches()
  const status = createStatusLine()
  let show: Show
  let shown = { ...opened, url: documentUrl() }
  /** Ends what the page shown is still waiting for. */
  let stream: AbortController | undefined
  let pending: { controller: AbortController; path: string; form?: HTMLFormElement } | undefined
  /** A document has been asked for, and may still come. */
  let leaving = false
  let submissions = 0

  return { attach, retry, reload }

  function attach(showView: Show) {
    show = showView
    // The visitor may have gone back while the script was loading.
    if (isShown(new URL(location.href))) entries.keep(shown)
    else onPopState()
    setNavigator({ navigate, refresh, prefetch: (to) => prefetch(to, 'low') })
    watchVisitor()
    if (!pending) awaitStay()
    listenForIntents({ follow, submit, prefetch: (link) => prefetch(link.href) })
    addEventListener('popstate', onPopState)
    addEventListener('online', () => {
      if (shown.view.payload.error?.offline) retry()
    })
  }

  function retry() {
    void go({ kind: 'replace', url: shown.url, fresh: true })
  }

  function reload() {
    void go({ kind: 'replace', url: shown.url, fresh: true, keepScroll: true, quiet: true, showsErrors: true })
  }

  function navigate(to: string, { replace = false, keepScroll }: NavigateOptions = {}) {
    const url = new URL(to, location.href)
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return
    if (url.origin === location.origin && isFragment(url)) return void (location.hash = url.hash)
    countRedirect(url.href)
    if (url.origin !== location.origin) location[replace ? 'replace' : 'assign'](url)
    else void go({ kind: replace || isShown(url) ? 'replace' : 'push', url, keepScroll })
  }

  function refresh() {
    if (!pending) void go({ kind: 'replace', url: shown.url, fresh: true, keepScroll: true, quiet: true })
  }

  function prefetch(to: string, priority?: RequestPriority) {
    if (!URL.canParse(to, location.href)) return
    const url = new URL(to, location.href)
    const isPending = url.pathname + url.search === pending?.path
    if (url.origin === location.origin && !isShown(url) && !isPending) prefetches.start(url, priority)
  }

  function follow({ href, dataset }: HTMLAnchorElement): boolean {
    const url = new URL(href)
    if (isFragment(url)) {
      // The browser's own: it also moves the focus, and :target. A page on its way would take it back.
      cancel()
      entries.noteScroll()
      entries.remember()
      return false
    }
    const again = isShown(url)
    void go({
      kind: again || dataset.replace !== undefined ? 'replace' : 'push',
      url,
      fresh: again,
      keepScroll: dataset.keepScroll !== undefined,
      transition: dataset.transition !== undefined
    })
    return true
  }

  function submit(form: HTMLFormElement, submitter: HTMLElement | null): boolean {
    // A second click on the same button.
    if (pending && pending.form === form) return true
    const submission = readSubmission(form, submitter)
    if (!submission) return false
    const { url, body, formData } = submission
    const page = findPage(url.pathname)
    if (body && (page === undefined || page === 'malformed' || !page.load)) return false
    const { replace, keepScroll } = form.dataset
    // What a POST leads to is a step of its own, unless that is the page shown.
    const kind = replace !== undefined || (!body && isShown(url)) ? 'replace' : 'push'
    void go({ kind, url, body, formData, fresh: isShown(url), keepScroll: keepScroll !== undefined }, body && form)
    return true
  }

  function onPopState() {
    const isNew = typeof (history.state as { key?: unknown } | null)?.key !== 'string'
    // The page is still where the visitor left it; a scroll event comes only with the next frame.
    if (!isNew) entries.noteScroll()
    const key = entries.adopt()
    const url = new URL(location.href)
    if (!isShown(url)) return void go({ kind: 'back', url })
    cancel()
    if (isNew) {
      // A fragment: the browser has scrolled already.
      entries.shown = key
      entries.keep(shown)
    } else {
      entries.moveTo(key)
      settleScroll('back', url)
    }
    shown.url = url
  }

  async function go(move: Move, form?: HTMLFormElement): Promise<void> {
    const { url, body, formData, quiet } = move
    leave()
    // A scroll event comes only with the next frame. After going back the position was noted before.
    if (move.kind !== 'back') entries.noteScroll()
    if (!body && !isAllowedInPlace(url)) return openDocument(url, move.kind)
    prefetches.makeWay(url)
    const controller = new AbortController()
    const { signal } = controller
    const own = (pending = { controller, path: url.pathname + url.search, form })
    const kept = move.kind === 'back' ? entries.viewOf(entries.adopt()) : undefined
    const ended = quiet ? undefined : tellStart(move, kept !== undefined)
    const ending: NavigationEnd = {}
    try {
      // On its way before anybody is told, and renders for it.
      const loading: NavigationResult | Promise<NavigationResult> = kept
        ? { kind: 'view', url, view: { ...kept.view }, replace: false, size: kept.size }
        : loadRoute(move, { build, prefetches, signal })
      if (!quiet)
        setNavigation({
          state: body ? 'submitting' : 'loading',
          to: url.pathname + url.search + url.hash,
          formData
        })
      const arrival = await loading
      if (signal.aborted) return
      if (body) forgetAll()
      if (arrival.kind === 'view') ending.routeName = nameOfPath(arrival.url.pathname)
      await end(move, arrival, controller)
    } catch (error) {
      if (signal.aborted) return
      ending.error = error
      controller.abort()
      await fail(move, error, () => pending === own)
    } finally {
      ended?.(ending)
      if (pending === own) {
        pending = undefined
        if (!leaving) {
          setNavigation()
          awaitStay()
        }
      }
    }
  }

  function tellStart({ url, body, fresh }: Move, isKept: boolean) {
    const prefetched = body || fresh || isKept ? undefined : prefetches.peek(url.pathname + url.search)
    return startNavigation({ routeName: nameOfPath(url.pathname), url, prefetched })
  }

  /** The visitor wants to stay. */
  function cancel() {
    leave()
    setNavigation()
  }

  /** Something else is wanted than what was on its way. */
  function leave() {
    // A document that is still coming would take the place of whatever comes now.
    if (leaving) window.stop()
    leaving = false
    pending?.controller.abort()
    pending = undefined
  }

  async function end(move: Move, arrival: NavigationResult, controller: AbortController): Promise<void> {
    if (move.quiet && !move.showsErrors && (arrival.kind !== 'view' || arrival.view.payload.error)) return
    if (arrival.kind === 'view' && isAllowedInPlace(arrival.url)) return commit(move, arrival, controller)
    if (arrival.kind === 'unread') status.warn(arrival.sentence)
    else openDocument(arrival.url, move.kind)
  }

  /** Shows a view, and resolves when it stands. */
  function commit(move: Move, arrival: ViewResult, controller: AbortController): Promise<void> {
    const { url, late, size } = arrival
    // After an action the page is a new one: what was typed into it has been taken.
    const isTaken = move.body !== undefined && arrival.view.payload.form === undefined
    const view: View = { ...arrival.view, isArriving: true }
    if (isTaken) view.fresh = ++submissions
    // Still the page that an action had made new: the same path keeps its state.
    else if (move.kind !== 'back' && url.pathname === shown.url.pathname) view.fresh = shown.view.fresh
    const replaces = move.kind === 'replace' || arrival.replace || isShown(url)
    const { promise: shows, resolve } = Promise.withResolvers<void>()
    // All was there already: still in the event that asked for it, and nothing of the page waits.
    const isReady = self.event !== undefined && late?.isSettled !== false
    const start = () => {
      const focused = document.activeElement
      show(
        view,
        () => {
          view.isArriving = false
          const before = shown.url
          if (stream && shown.late?.isSettled === false) entries.drop()
          stream?.abort()
          stream = controller
          if (move.kind === 'back') entries.moveTo(entries.adopt())
          if (move.kind !== 'back' || url.href !== location.href) {
            const isAdded = entries.add(url, replaces || move.kind === 'back')
            if (!isAdded) {
              resolve()
              return openDocument(url, replaces ? 'replace' : move.kind)
            }
          }
          shown = { view, late, size, url }
          entries.keep(shown)
          prefetches.leave()
          scrollAndFocus(move, before, focused)
          resolve()
        },
        isReady
      )
    }
    if (move.transition)
      inViewTransition(() => {
        if (!controller.signal.aborted) start()
        return shows
      })
    else start()
    return within(RENDER_TIMEOUT, shows)
  }

  /** What a browser does when a document has come. */
  function scrollAndFocus({ kind, keepScroll, quiet }: Move, before: URL, focused: Element | null) {
    const { url, view } = shown
    applyHead(view.payload.meta)
    // After a boundary has had its say about the title.
    if (!quiet) queueMicrotask(() => status.announce(document.title))
    if (keepScroll) return
    // The same page with another query keeps the focus, where that is still there. React has focused what `autoFocus` is
    // on, and leaves no attribute to know it by.
    const { activeElement, body } = document
    if (activeElement === body || (url.pathname !== before.pathname && activeElement === focused)) focusPage()
    settleScroll(kind, url)
  }

  function settleScroll(kind: Move['kind'], { hash }: URL) {
    const position = kind === 'back' ? entries.positionOf(entries.shown) : undefined
    if (position) restoreScroll(position)
    else if (!hash || !scrollToHash(hash)) scrollTo(0, 0)
    entries.noteScroll()
  }

  /** @param isWanted whether nothing else has been asked for meanwhile */
  async function fail(move: Move, error: unknown, isWanted: () => boolean): Promise<void> {
    if (move.quiet) return
    if (move.body) forgetAll()
    if (error instanceof RedirectError) {
      console.error(error)
      return showError(move, { digest: logError(error, { handled: true }) })
    }
    const isOffline = !navigator.onLine
    const isDown = !move.body && (isOffline || !(await isReachable()))
    if (!isWanted()) return
    // What was typed stays.
    if (move.body || (move.formData && isDown))
      return status.warn('The form could not be sent. Nothing you typed is lost: check the connection and try again.')
    if (isDown) return showError(move, isOffline ? { offline: true } : { unreachable: true })
    console.warn(`${move.url.pathname} is loaded as a document:`, error)
    openDocument(move.url, move.kind)
  }

  /** Shows what failed in the browser, at the address that was asked for. */
  function showError(move: Move, error: Omit<PageError, 'side'>): Promise<void> {
    const view = toErrorView(move.url, shown.view, error)
    return commit(move, { kind: 'view', url: move.url, view, replace: false, size: 0 }, new AbortController())
  }

  /** Something was changed on the server: what is kept may not be true any more. */
  function forgetAll() {
    prefetches.clear()
    entries.forget()
  }

  function openDocument(url: URL, kind: Move['kind']) {
    leaving = true
    // The address is there already, or differs by what no browser loads a document for.
    if (kind === 'back' && url.href === location.href) location.reload()
    else if (isShown(url)) {
      entries.add(url, true)
      location.reload()
    } else if (kind === 'push') location.assign(url)
    else location.replace(url)
    // What turns out to be a download leaves the page where it is.
    setTimeout(() => {
      if (leaving) setNavigation()
    }, ROUTE_LOAD_TIMEOUT)
  }

  /** Whether an address is that of the page shown, hash apart. */
  function isShown({ pathname, search }: URL): boolean {
    return pathname === shown.url.pathname && search === shown.url.search
  }

  function isFragment(url: URL): boolean {
    return isShown(url) && (url.hash !== '' || url.href.endsWith('#'))
  }
}
