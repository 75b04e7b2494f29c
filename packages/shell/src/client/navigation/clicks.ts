import { isWebAddress } from './navigate.ts'

/** Handlers of a visitor's clicks, pointing and form submissions. */
export interface ClickHandlers {
  /** @returns whether the shell handles the click; otherwise the browser does */
  follow: (link: HTMLAnchorElement) => boolean
  /** @returns whether the shell handles the form; otherwise the browser does */
  submit: (form: HTMLFormElement, submitter: HTMLElement | null) => boolean
  prefetch: (link: HTMLAnchorElement) => void
}

/** Milliseconds that a pointer must rest on a link before its page is prefetched. A guess: less than a click takes. */
const HOVER_DELAY = 50

/**
 * Listens to the whole document, after React's own handlers, so that a handler can keep its event with
 * `preventDefault`. The shell therefore handles every link and form, no matter how it was rendered.
 */
export function listenForIntents({ follow, submit, prefetch }: ClickHandlers): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let resting: HTMLAnchorElement | undefined
  let address: string | null | undefined

  listen('click', (event) => {
    clearTimeout(timer)
    const link = linkOf(event)
    if (!link || event.defaultPrevented || !isPlain(event) || isForBrowser(link)) return
    if (follow(link)) event.preventDefault()
  })

  listen('submit', (event) => {
    if (event.defaultPrevented) return
    if (submit(event.target as HTMLFormElement, event.submitter)) event.preventDefault()
  })

  const rest = (event: Event) => {
    const link = linkOf(event)
    // Another query of the same page keeps the element.
    const href = link?.getAttribute('href')
    if (link === resting && href === address) return
    clearTimeout(timer)
    resting = link
    address = href
    if (!link || !mayPrefetch(link)) return
    timer = setTimeout(() => {
      prefetch(link)
    }, HOVER_DELAY)
  }
  const press = (event: Event) => {
    const link = linkOf(event)
    if (link && mayPrefetch(link)) prefetch(link)
  }
  const options = { passive: true }
  // Not mouseover, which also fires if the page moves under a resting pointer.
  document.addEventListener('mousemove', rest, options)
  document.addEventListener('focusin', rest, options)
  document.addEventListener('touchstart', press, options)
}

/**
 * Adds a listener to the document, and to React's root for events that a handler of React has kept from the document by
 * `stopPropagation`.
 */
function listen<Type extends 'click' | 'submit'>(type: Type, listener: (event: HTMLElementEventMap[Type]) => void) {
  document.addEventListener(type, listener)
  document.getElementById('root')!.addEventListener(type, (event) => {
    // True after stopPropagation().
    if (event.cancelBubble) listener(event)
  })
}

/** Also finds links in and around a shadow tree. */
function linkOf(event: Event): HTMLAnchorElement | undefined {
  const link = event.composedPath().find((node) => node instanceof Element && node.localName === 'a')
  return link instanceof HTMLAnchorElement && link.hasAttribute('href') ? link : undefined
}

/** Only the first button without modifiers, which open a tab or a window, or download. */
const isPlain = ({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent) =>
  button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey

/** True if the link opens another tab, a file, or a document, or is text in an editor, which a click does not follow. */
function isForBrowser(link: HTMLAnchorElement): boolean {
  return (
    link.isContentEditable ||
    opensOtherContext(link.target) ||
    link.hasAttribute('download') ||
    link.dataset.document !== undefined ||
    link.relList.contains('external') ||
    link.origin !== location.origin ||
    // The origin of a `blob:` is that of the page which has made it.
    !isWebAddress(link)
  )
}

/** Whether a link or a form with this `target` opens another browsing context. Without one, that of a `<base>` counts. */
export function opensOtherContext(target: string): boolean {
  const name = target || document.querySelector<HTMLBaseElement>('base[target]')?.target
  return !!name && name.toLowerCase() !== '_self'
}

/** Whether the link's page may be prefetched. */
const mayPrefetch = (link: HTMLAnchorElement) =>
  !isForBrowser(link) && link.closest('[data-prefetch]')?.getAttribute('data-prefetch') !== 'none'
