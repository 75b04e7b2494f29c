import { useEffect, useId, useRef, useState, useSyncExternalStore, type KeyboardEvent } from 'react'
import { withBasePath } from '@hull/shell/client'
import type { Suggestions } from '../../queries/suggestions.ts'
import { countOf } from './numbers.ts'
import { SearchInput, type SearchInputProps } from './search-input.tsx'
import { Text } from './text.tsx'
import './suggesting-input.css'

interface SuggestingInputProps extends SearchInputProps {
  /** Parameters of `/inbox/suggestions` that name the search. */
  scope: Readonly<Record<string, string | number | undefined>>
}

/** Milliseconds without another key before suggestions are requested. */
const PAUSE = 80

const NONE: Suggestions = { from: 0, texts: [] }

/**
 * Search field that completes filters and values while the user types: the ARIA pattern of an editable combobox with a
 * list. Without script, it is the plain field.
 */
export function SuggestingInput({ scope, ...props }: SuggestingInputProps) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const request = useRef<AbortController>(undefined)
  const hasScript = useSyncExternalStore(
    () => () => {},
    () => true,
    () => false
  )
  const [{ from, texts }, setList] = useState(NONE)
  /** Index of the suggestion that Enter takes; -1 for none. */
  const [active, setActive] = useState(-1)
  const isOpen = texts.length > 0

  useEffect(() => () => request.current?.abort(), [])

  const show = (list: Suggestions) => {
    setList(list)
    setActive(-1)
  }
  const close = () => {
    request.current?.abort()
    show(NONE)
  }

  /** @param isAsked also shows suggestions for an empty word */
  async function suggest(isAsked: boolean) {
    request.current?.abort()
    const { signal } = (request.current = new AbortController())
    const { value, selectionStart } = field.current!
    const text = value.slice(0, selectionStart ?? value.length)
    setActive(-1)
    const list = await load(scope, text, signal)
    if (!signal.aborted) show(isAsked || list.from < text.length ? list : NONE)
  }

  /** Replaces the word at the cursor. */
  function take(text: string) {
    const input = field.current!
    const cursor = input.selectionStart ?? input.value.length
    const rest = /^\S*/.exec(input.value.slice(cursor))![0].length
    input.setRangeText(text, from, cursor + rest, 'end')
    input.focus()
    if (text.endsWith(' ')) close()
    else void suggest(true)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing || event.altKey || event.ctrlKey || event.metaKey) return
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp': {
        const by = event.key === 'ArrowDown' ? 1 : -1
        if (isOpen) setActive(active < 0 && by < 0 ? texts.length - 1 : (active + by + texts.length) % texts.length)
        else void suggest(true)
        return event.preventDefault()
      }
      case 'Enter':
      case 'Tab':
        if (active < 0 || event.shiftKey) return close()
        take(texts[active]!)
        return event.preventDefault()
      case 'Escape':
        // With an open list it neither empties nor leaves the field.
        if (isOpen) event.preventDefault()
        return close()
      case 'ArrowLeft':
      case 'ArrowRight':
      case 'Home':
      case 'End':
        return close()
    }
  }

  const combobox = {
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-expanded': isOpen,
    'aria-controls': isOpen ? id : undefined,
    'aria-activedescendant': active < 0 ? undefined : `${id}-${active}`
  } as const
  return (
    <div className="suggesting">
      <SearchInput
        {...props}
        field={{
          ref: field,
          onInput: () => void suggest(false),
          onKeyDown,
          onBlur: close,
          ...(hasScript && combobox)
        }}
      />
      {isOpen && (
        // The focus stays in the field.
        // oxlint-disable-next-line jsx-a11y/interactive-supports-focus
        <div className="suggestions" id={id} role="listbox" aria-label="Suggestions" onMouseDown={stay}>
          {texts.map((text, index) => (
            // The field has the keys of the list.
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
            <div
              key={text}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === active}
              onClick={() => take(text)}
            >
              <Text max={120}>{text.trimEnd()}</Text>
            </div>
          ))}
        </div>
      )}
      <span className="unshown" role="status">
        {isOpen && countOf(texts.length, 'suggestion')}
      </span>
    </div>
  )
}

const stay = (event: { preventDefault: () => void }) => event.preventDefault()

/** Without an answer there are no suggestions: the search works without them. */
async function load(scope: SuggestingInputProps['scope'], text: string, signal: AbortSignal): Promise<Suggestions> {
  await new Promise((resolve) => setTimeout(resolve, PAUSE))
  if (signal.aborted) return NONE
  const fields = new URLSearchParams({ text })
  for (const [name, value] of Object.entries(scope)) if (value !== undefined) fields.set(name, String(value))
  try {
    const response = await fetch(withBasePath(`/inbox/suggestions?${fields}`), { signal })
    return response.ok ? ((await response.json()) as Suggestions) : NONE
  } catch {
    return NONE
  }
}
