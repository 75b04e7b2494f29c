import { useEffect, useRef, useSyncExternalStore } from 'react'
import { SubmitButton } from '../shared/controls.tsx'
import { useFocusAfterChange } from './focus-after-change.ts'
import { hasSingleKeys, setSingleKeys, watchSingleKeys } from './single-keys.ts'

const KEYS = [
  ['/', 'Search'],
  ['⌘ K', 'Search, from anywhere (Ctrl K)'],
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['Enter', 'Open row'],
  ['x', 'Select row'],
  ['e', 'Resolve'],
  ['i', 'Ignore'],
  ['?', 'Show keyboard shortcuts'],
  ['Esc', 'Close, dismiss, or leave the field']
] as const

/**
 * Keyboard shortcuts of the inbox, and their help. Keys with a modifier belong to the browser, except ⌘K; while the
 * user types, all keys do. Shortcuts activate elements of the page: rows have `data-row`, buttons `data-key`.
 */
export function Keys() {
  const dialog = useRef<HTMLDialogElement>(null)
  const isOn = useSyncExternalStore(watchSingleKeys, hasSingleKeys, () => true)
  useFocusAfterChange()

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      // Chrome sends an event without a key when it fills in a field.
      if (event.defaultPrevented || event.isComposing || event.key === undefined) return
      if (press(event, dialog.current)) event.preventDefault()
    }
    const onClick = (event: MouseEvent) => {
      const target = event.target as Element
      if (target.closest('[data-opens="keys"]')) dialog.current?.showModal()
      closeMenus(target)
    }
    const onFocusIn = ({ target }: FocusEvent) => {
      // When the dialog is closed, the focus returns to the menu.
      if (!dialog.current?.contains(target as Element)) closeMenus(target as Element, false)
    }
    const unmount = new AbortController()
    const { signal } = unmount
    document.addEventListener('keydown', onKeyDown, { signal })
    document.addEventListener('click', onClick, { signal })
    document.addEventListener('focusin', onFocusIn, { signal })
    return () => unmount.abort()
  }, [])

  return (
    <dialog ref={dialog} className="keys" aria-labelledby="keys-title" closedby="any">
      <form method="dialog" className="keys-head">
        <h2 id="keys-title">Keyboard shortcuts</h2>
        <SubmitButton label="Close" />
      </form>
      <dl>
        {KEYS.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label>
        <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => setSingleKeys(currentTarget.checked)} />
        Use shortcuts of one key
      </label>
    </dialog>
  )
}

/** @returns whether the key is a shortcut on this page */
function press(event: KeyboardEvent, dialog: HTMLDialogElement | null): boolean {
  const { key, metaKey, ctrlKey, altKey } = event
  const target = event.target as HTMLElement
  if (key.toLowerCase() === 'k' && (metaKey || ctrlKey) && !altKey) return focusSearch()
  if (metaKey || ctrlKey || altKey) return false
  // The browser closes a dialog itself.
  const isInDialog = document.querySelector('dialog[open]') !== null
  if (key === 'Escape') return !isInDialog && leave(target)
  if (isTyping(target) || isInDialog) return false
  if (key.length === 1 && !hasSingleKeys()) return false
  // A key that is held down moves through the rows, but does not change one after the other.
  if (event.repeat && key !== 'j' && key !== 'k') return false
  switch (key) {
    case '/':
      return focusSearch()
    case '?':
      dialog?.showModal()
      return true
    case 'j':
      return move(1)
    case 'k':
      return move(-1)
    case 'x':
      return choose()
    case 'Enter':
      return openRow(target)
    case 'e':
      return act('resolve')
    case 'i':
      return act('ignore')
    default:
      return false
  }
}

function isTyping(target: HTMLElement): boolean {
  if (target.isContentEditable || target.matches('textarea, select')) return true
  return target.matches('input') && !target.matches('[type=checkbox], [type=radio], [type=button], [type=submit]')
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('[data-search]')
  field?.focus()
  field?.select()
  return field !== null
}

function leave(target: HTMLElement): boolean {
  const open = document.querySelector<HTMLDetailsElement>('details.menu[open]')
  if (open) {
    open.open = false
    open.querySelector('summary')?.focus()
    return true
  }
  if (isTyping(target)) {
    target.blur()
    return true
  }
  const dismiss = document.querySelector<HTMLElement>('[data-dismiss]')
  dismiss?.click()
  return dismiss !== null
}

/** A click or the focus outside of a menu closes it, and so does a click on one of its links. */
function closeMenus(target: Element, isClick = true): void {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>('details.menu[open]'))
    if (!menu.contains(target) || (isClick && target.closest('.menu-body a'))) menu.open = false
}

const rows = () => [...document.querySelectorAll<HTMLElement>('[data-row]')]

/** The row that contains the element. */
const rowOf = (element: Element | null) => element?.closest<HTMLElement>('[data-row]') ?? undefined

/** The box of the row that contains the focus. */
const focusedBox = () => rowOf(document.activeElement)?.querySelector<HTMLInputElement>('input[type=checkbox]')

function move(by: 1 | -1): boolean {
  const all = rows()
  if (all.length === 0) return false
  const at = all.indexOf(rowOf(document.activeElement) ?? all[by === 1 ? -1 : 0]!)
  const next = all[Math.min(Math.max(at + by, 0), all.length - 1)]!
  // The row's link: screen readers announce it, and Enter opens it.
  next.querySelector<HTMLElement>('[data-row-link]')?.focus()
  next.scrollIntoView({ block: 'nearest' })
  return true
}

/** On a box of the list, where Enter does nothing in a browser. */
function openRow(target: HTMLElement): boolean {
  if (!target.matches('.issues-form [type=checkbox]')) return false
  rowOf(target)?.querySelector<HTMLElement>('[data-row-link]')?.click()
  return true
}

function choose(): boolean {
  const box = focusedBox()
  box?.click()
  return box != null
}

/** Activates the page's element for a shortcut: for the selected rows, or for the one with the focus. */
function act(what: 'resolve' | 'ignore'): boolean {
  const button = document.querySelector<HTMLButtonElement>(`button[data-key="${what}"]:enabled`)
  if (!button) return false
  if (rows().length > 0) {
    const isChosen = document.querySelector('[data-row] input[type=checkbox]:checked') !== null
    const box = focusedBox()
    if (!isChosen && !box) return false
    if (!isChosen) box!.click()
  }
  button.click()
  return true
}
