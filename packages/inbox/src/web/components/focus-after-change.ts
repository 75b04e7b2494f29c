import { useEffect, useRef } from 'react'
import { useNavigation } from '@hull/shell/client'

/**
 * Keeps the place of whoever works by keys. A change renders its page again, and the focused element is gone with it:
 * in a list the row after the changed ones gets the focus, on an issue's page its buttons.
 */
export function useFocusAfterChange(): void {
  const { state } = useNavigation()
  const toFocus = useRef<string[]>([])

  useEffect(() => {
    const onSubmit = ({ target }: SubmitEvent) => {
      toFocus.current = findNextPlaces(target as HTMLFormElement)
    }
    // before the shell takes the form
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

/** @returns selectors of what may get the focus once a form's change is made, the best first */
function findNextPlaces(form: HTMLFormElement): string[] {
  if (form.matches('.issue-changes')) return ['.issue-changes']
  if (!form.matches('.issues-form')) return []
  const rows = [...form.querySelectorAll<HTMLElement>('[data-row]')]
  const isChanged = (row: HTMLElement) => row.querySelector('input:checked') !== null
  const last = rows.findLastIndex(isChanged)
  const others = [...rows.slice(last + 1), ...rows.slice(0, last).reverse()].filter((row) => !isChanged(row))
  return [...others.map((row) => `[data-row="${row.dataset.row}"] [data-row-link]`), '#main']
}
