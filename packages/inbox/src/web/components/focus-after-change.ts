import { useEffect, useRef } from 'react'
import { useNavigation } from '@hull/shell/client'

/**
 * Keeps the focus for keyboard users. A change renders the page again and may remove the focused element: a list then
 * focuses the row after the changed ones, or the first row after Undo; an issue's page its buttons.
 */
export function useFocusAfterChange(): void {
  const { state } = useNavigation()
  const toFocus = useRef<string[]>([])

  useEffect(() => {
    const onSubmit = ({ target }: SubmitEvent) => {
      toFocus.current = findNextPlaces(target as HTMLFormElement)
    }
    // runs before the shell handles the form
    document.addEventListener('submit', onSubmit, { capture: true })
    return () => document.removeEventListener('submit', onSubmit, { capture: true })
  }, [])

  useEffect(() => {
    if (state !== 'idle' || toFocus.current.length === 0) return
    const selectors = toFocus.current
    toFocus.current = []
    if (document.activeElement !== document.body) return
    for (const selector of selectors) {
      const element = document.querySelector<HTMLElement>(selector)
      element?.focus()
      if (element) return
    }
  }, [state])
}

/** @returns selectors of elements to focus once a form's change is made, best first */
function findNextPlaces(form: HTMLFormElement): string[] {
  if (form.matches('.issue-changes')) return ['.issue-changes']
  // Undo: its button goes with the notice.
  if (form.closest('.change-notice')) return ['.issue-changes', '[data-row] [data-row-link]', '#main']
  if (!form.matches('.issues-form')) return []
  const rows = [...form.querySelectorAll<HTMLElement>('[data-row]')]
  const isChanged = (row: HTMLElement) => row.querySelector('input:checked') !== null
  const last = rows.findLastIndex(isChanged)
  const others = [...rows.slice(last + 1), ...rows.slice(0, last).reverse()].filter((row) => !isChanged(row))
  return [...others.map((row) => `[data-row="${row.dataset.row}"] [data-row-link]`), '#main']
}
