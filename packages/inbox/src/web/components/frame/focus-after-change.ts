import { useEffect, useRef } from 'react'
import { useNavigation } from '@hull/shell/client'

/**
 * Keeps the focus for keyboard users. A change or another view renders the page again and may remove the focused
 * element: a list then focuses the row after the changed ones, or the first row after Undo; an issue's page what was
 * pressed, or its buttons; a menu its button; and any other form the button with which it was sent.
 */
export function useFocusAfterChange(): void {
  const { state } = useNavigation()
  const toFocus = useRef<string[]>([])

  useEffect(() => {
    const onSubmit = ({ target, submitter }: SubmitEvent) => {
      toFocus.current = [...findNextPlaces(target as HTMLFormElement), ...findAgain(submitter)]
    }
    const onClick = ({ target }: MouseEvent) => {
      const link = (target as Element).closest('a[data-keep-scroll]')
      if (link) toFocus.current = [...findMenu(link), '#main']
    }
    const unmount = new AbortController()
    // runs before the shell handles the form or the link
    const options = { capture: true, signal: unmount.signal }
    document.addEventListener('submit', onSubmit, options)
    document.addEventListener('click', onClick, options)
    return () => unmount.abort()
  }, [])

  useEffect(() => {
    if (state !== 'idle' || toFocus.current.length === 0) return
    const selectors = toFocus.current
    toFocus.current = []
    if (document.activeElement !== document.body) return
    for (const selector of selectors) {
      const element = document.querySelector<HTMLElement>(selector)
      // the main part is longer than the window, which would scroll to its beginning
      element?.focus({ preventScroll: selector === '#main' })
      if (element) return
    }
  }, [state])
}

/** @returns selectors of elements to focus once a form's change is made, best first */
function findNextPlaces(form: HTMLFormElement): string[] {
  if (form.matches('.issue-changes')) return ['.issue-changes']
  if (form.matches('.issue-follow')) return ['.issue-follow button']
  if (form.matches('.comment-form')) return [...findComment(form), '.comment-form button']
  // Undo: its button goes with the flash message, or with the entry of the activity.
  if (form.closest('.change-notice, .activity')) return ['.issue-changes', '[data-row] [data-row-link]', '#main']
  if (!form.matches('.issues-form')) return []
  const rows = [...form.querySelectorAll<HTMLElement>('[data-row]')]
  const isChanged = (row: HTMLElement) => row.querySelector('input:checked') !== null
  const last = rows.findLastIndex(isChanged)
  const others = [...rows.slice(last + 1), ...rows.slice(0, last).reverse()].filter((row) => !isChanged(row))
  return [...others.map((row) => `[data-row="${row.dataset.row}"] [data-row-link]`), '#main']
}

/** Selector of the button with which a form was sent; none if it has no name. */
function findAgain(submitter: HTMLElement | null): string[] {
  if (!(submitter instanceof HTMLButtonElement) || submitter.name === '') return []
  return [`button[name="${submitter.name}"][value="${submitter.value}"]`]
}

/** Selector of the button of the menu that contains a link. */
function findMenu(link: Element): string[] {
  const menu = link.closest<HTMLElement>('.menu')
  return menu ? [`[data-menu="${menu.dataset.menu}"] > summary`] : []
}

/** Selector of the button that opens the form of a comment. */
function findComment(form: HTMLFormElement): string[] {
  const id = form.querySelector<HTMLInputElement>('[name=comment]')?.value
  return id === undefined ? [] : [`.comment-menu:has([name=comment][value="${id}"]) > summary`]
}
