import { LOADING_VIEW_DELAY, PAGE_RENDER_TIMEOUT } from '@hull/common/constants.ts'
import type { Entries, Position } from './entries.ts'
import type { Show } from '../entry/root.tsx'
import { applyHead } from '../view/head.ts'
import type { ArrivedPage, LoadedPage } from './load-route.ts'
import { findLoadingViews } from '../modules.ts'
import type { Move } from './move.ts'
import { scrollToTop, settleFocus, settleScrollAt } from './scroll-focus.ts'
import { announce } from './status-line.ts'
import { withTimeout } from '../timeout.ts'
import { inViewTransition } from './view-transition.ts'
import type { View } from '../view/view.tsx'

interface ReplaceOptions {
  move: Move
  /** Ends the loading of the arrived page's late values, when another page is shown. */
  controller: AbortController
  /** Element that had the focus when the page was requested. */
  focused: Element | null
  /** Whether the page is rendered in the current task: everything was already loaded. */
  isReady: boolean
}

interface ShownPageOptions {
  entries: Entries
  /** Called when a page is mounted, before it is painted. */
  onShown: (move: Move) => void
  /** Called if the browser does not allow an entry for the page. */
  openDocument: (url: URL, kind: Move['kind']) => void
}

/**
 * Shows one page after the other: its view, its entry of the history, title, scroll position and focus. While a page is
 * loading, the shown one stays, or a loading view hides it.
 */
export function createShownPage(opened: LoadedPage, { entries, onShown, openDocument }: ShownPageOptions) {
  let shown = opened
  let show: Show
  /** Ends the loading of the shown page's late values. */
  let stream: AbortController | undefined
  let submissions = 0
  /** The loading view that hides the shown page. */
  let hiding: View | undefined
  /** The view that was passed to {@link show} last. */
  let latest: View | undefined
  /** Takes back a view that React has not mounted yet, because it suspends. */
  let withdraw: (() => void) | undefined

  return {
    get current() {
      return shown
    },
    attach(showView: Show) {
      show = (view, ...rest) => {
        latest = view
        showView(view, ...rest)
      }
      if (entries.unrestored) settleScrollAt(entries.unrestored, '')
    },
    is,
    moveTo,
    replaceHash,
    replaceBy,
    takeBack,
    hideIfSlow,
    reveal
  }

  /** Whether an address is the page's, ignoring the hash. */
  function is({ pathname, search }: URL): boolean {
    return pathname === shown.url.pathname && search === shown.url.search
  }

  /** The visitor has gone to another entry of the history, which shows the same page. */
  function moveTo(url: URL, key: string, isNew: boolean) {
    // The position of the entry that was left: its scroll event has noted it, and that of a fragment comes later.
    entries.moveTo(key)
    // A fragment: the browser has already scrolled.
    if (isNew) entries.keep(shown)
    else settleScroll('back', url)
    shown.url = url
  }

  /** Goes to another hash of the page in the shown entry of the history. */
  function replaceHash(url: URL) {
    entries.goToHash(url)
    moveTo(url, entries.shown, true)
  }

  /**
   * Replaces the page by one that has arrived. Resolves when it is mounted, or taken back.
   * @throws TimeoutError if React does not mount it
   */
  function replaceBy(arrived: ArrivedPage, { move, controller, focused, isReady }: ReplaceOptions): Promise<void> {
    const { late, size } = arrived
    // After an accepted form, the page's state is new, because the entered values have been used.
    const isAccepted = move.body !== undefined && arrived.view.payload.form === undefined
    const { promise: settled, resolve } = Promise.withResolvers<void>()
    const view: View = { ...arrived.view, isPending: true, settled }
    if (isAccepted) view.resetKey = ++submissions
    // The same path keeps its state, also if an action has renewed the page.
    else if (move.kind !== 'back' && arrived.url.pathname === shown.url.pathname) view.resetKey = shown.view.resetKey
    const onMounted = () => {
      let { kind } = move
      withdraw = undefined
      view.isPending = false
      const before = shown.url
      // The hash may have changed while the page renewed itself.
      const url = move.quiet && is(arrived.url) ? before : arrived.url
      if (stream && shown.late?.isSettled === false) entries.drop()
      stream?.abort()
      stream = controller
      if (move.kind === 'back') entries.moveTo(entries.adopt())
      else if (arrived.replace || is(arrived.url)) kind = 'replace'
      // Other code may have changed the query of a page that renews itself.
      const staysThere = move.quiet && url === before && !entries.isAway
      const isThere = staysThere || (move.kind === 'back' && url.href === location.href)
      if (!isThere && !entries.add(url, kind !== 'push')) {
        resolve()
        return openDocument(url, kind)
      }
      hiding = undefined
      const position = entries.release()
      const { meta } = shown.view.payload
      shown = { view, late, size, url }
      entries.keep(shown)
      onShown(move)
      applyHead(view.payload.meta, meta)
      scrollAndFocus(move, before, focused, position)
      resolve()
    }
    const start = () => {
      withdraw = () => {
        if (!view.isPending) return
        resolve()
        if (latest === view) show(hiding ?? shown.view, () => {}, true)
      }
      show(view, onMounted, isReady)
    }
    if (move.transition)
      inViewTransition(() => {
        if (controller.signal.aborted) resolve()
        else start()
        return settled
      })
    else start()
    return withTimeout(PAGE_RENDER_TIMEOUT, settled)
  }

  /** Takes back a page that has arrived but is not mounted yet. */
  function takeBack() {
    // Before late values, which the abort rejects, fail in the view; but not while it is mounted, when it may redirect.
    if (withdraw) queueMicrotask(withdraw)
    withdraw = undefined
  }

  /**
   * Shows the loading view of a page that takes long.
   * @returns a function to call when the page has arrived
   */
  function hideIfSlow({ url, keepScroll }: Move, signal: AbortSignal): () => void {
    let isOver = false
    const timer = setTimeout(async () => {
      // The navigation itself fails if a chunk is missing.
      const view = await findLoadingViews()!()
        .then(({ createLoadingView }) => createLoadingView(url, shown.view))
        .catch(() => undefined)
      if (!view || isOver || signal.aborted) return
      hiding = view
      entries.hold()
      const toTop = () => {
        if (!keepScroll) scrollToTop()
      }
      show(view, toTop, true)
    }, LOADING_VIEW_DELAY)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }

  /** Shows the page again if a loading view has hidden it. */
  function reveal() {
    if (!hiding) return
    hiding = undefined
    show(shown.view, () => settleScrollAt(entries.release(), ''), true)
  }

  /** Announces the page, and sets scroll position and focus as a browser does for a new document. */
  function scrollAndFocus(
    { kind, body, keepScroll, quiet }: Move,
    before: URL,
    focused: Element | null,
    position: Position
  ) {
    const { url } = shown
    // After the boundary, which may change the title.
    if (!quiet) queueMicrotask(() => announce(document.title))
    if (keepScroll) {
      // Chromium lays the page out when React removes a <select>, and scrolls up, because the page is short then.
      if (body && scrollY < position[1]) settleScrollAt(position, '')
      return
    }
    settleFocus(focused, url.pathname === before.pathname)
    settleScroll(kind, url)
  }

  function settleScroll(kind: Move['kind'], url: URL) {
    const position = kind === 'back' ? entries.positionOf(entries.shown) : undefined
    settleScrollAt(position, url.hash, () => entries.goToHash(url))
    entries.noteScroll()
  }
}
