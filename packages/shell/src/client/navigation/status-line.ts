import { onNavigation } from './navigation-state.ts'

export interface Notice {
  sentence: string
  link?: { href: string; label: string }
}

/** Milliseconds before the bar appears: faster navigations need no indication. */
const PROGRESS_DELAY = 150

/**
 * Milliseconds for which the announced title is in the document. A guess: enough to be read, and gone before a visitor
 * who reads the page with a screen reader comes to its end.
 */
const ANNOUNCED_TIME = 10_000

let announcer: HTMLElement | undefined
let removal: ReturnType<typeof setTimeout> | undefined

/** Announces the title of a page, or of the error in place of it, to screen readers. */
export function announce(title: string): void {
  if (!announcer) return
  clearTimeout(removal)
  // Screen readers do not read the same text again.
  announcer.textContent = announcer.textContent === title ? `${title}\u00a0` : title
  removal = setTimeout(() => announcer!.replaceChildren(), ANNOUNCED_TIME)
}

/**
 * Creates the indicators of navigations, outside of the pages: a bar during a slow one, a live region that announces
 * the new page, and a notice of failures. Styles: styles/shell.css.
 */
export function createStatusLine() {
  const bar = add('shell-progress', { 'aria-hidden': 'true' })
  announcer = add('shell-announcer', { 'aria-live': 'polite', 'aria-atomic': 'true' })
  // While a dialog is open, component libraries hide all other elements from screen readers, except with `aria-live`.
  const notice = add('shell-notice', { role: 'alert', 'aria-live': 'assertive' })
  bar.hidden = notice.hidden = true
  let timer: ReturnType<typeof setTimeout> | undefined

  onNavigation(({ state }) => {
    if (state === 'idle') {
      clearTimeout(timer)
      timer = undefined
      bar.hidden = true
    } else {
      notice.hidden = true
      timer ??= setTimeout(() => {
        bar.hidden = false
      }, PROGRESS_DELAY)
    }
  })

  return {
    /** Shows a failure until the next navigation begins. The link opens a new tab: what was typed stays in this one. */
    warn({ sentence, link }: Notice) {
      // A modal dialog covers everything outside of it, and makes it inert.
      const place = [...document.querySelectorAll('dialog:modal')].at(-1) ?? document.body
      if (notice.parentElement !== place) place.append(notice)
      // Announced once: a page may request new data every few seconds.
      if (!notice.hidden && notice.textContent === sentence) return
      notice.replaceChildren(sentence)
      if (link) {
        const { href, label: textContent } = link
        notice.append(' ', Object.assign(document.createElement('a'), { href, textContent, target: '_blank' }))
      }
      notice.hidden = false
    }
  }
}

function add(className: string, attributes: Record<string, string>): HTMLElement {
  const element = document.createElement('div')
  element.className = className
  for (const name in attributes) element.setAttribute(name, attributes[name]!)
  return document.body.appendChild(element)
}
