import {
  useEffect,
  useId,
  useRef,
  useState,
  type AriaAttributes,
  type KeyboardEvent,
  type ReactNode,
  type RefObject
} from 'react'
import { useHasScript } from '../shared/use-zone.ts'
import type { Suggestions } from '../../../queries/issues/suggestions.ts'
import { countOf } from '../shared/format.ts'
import { Text } from '../shared/text.tsx'
import './suggestions.css'

export const NO_SUGGESTIONS: Suggestions = { from: 0, texts: [] }

interface SuggestionsOptions {
  /**
   * Returns suggestions for the text before the cursor.
   * @param isAsked whether the user asked for them, with an arrow key or after the suggestion before
   */
  find: (text: string, signal: AbortSignal, isAsked: boolean) => Suggestions | Promise<Suggestions>
  /**
   * Whether the field has several lines: an arrow key only chooses from an open list, whose first suggestion is chosen
   * from the beginning, and the field stays a text box.
   * @default false
   */
  isMultiline?: boolean
}

interface FieldWithSuggestions<Field> extends AriaAttributes {
  ref: RefObject<Field | null>
  role?: 'combobox'
  onInput: () => void
  onKeyDown: (event: KeyboardEvent) => void
  onClick: () => void
  onBlur: () => void
}

/**
 * Completes what is typed into a field: the ARIA pattern of an editable combobox with a list. Without script, the field
 * is a plain one.
 * @returns attributes of the field, and the list to render behind it, in an element with the class `suggesting`
 */
export function useSuggestions<Field extends HTMLInputElement | HTMLTextAreaElement>({
  find,
  isMultiline = false
}: SuggestionsOptions): { field: FieldWithSuggestions<Field>; list: ReactNode } {
  const id = useId()
  const field = useRef<Field>(null)
  const request = useRef<AbortController>(undefined)
  const hasScript = useHasScript()
  const [{ from, texts }, setList] = useState(NO_SUGGESTIONS)
  /** Index of the suggestion that Enter takes; -1 for none. */
  const [active, setActive] = useState(-1)
  const isOpen = texts.length > 0

  useEffect(() => () => request.current?.abort(), [])

  const show = (list: Suggestions) => {
    setList(list)
    setActive(isMultiline && list.texts.length > 0 ? 0 : -1)
  }
  const close = () => {
    request.current?.abort()
    show(NO_SUGGESTIONS)
  }

  async function suggest(isAsked: boolean) {
    request.current?.abort()
    const { signal } = (request.current = new AbortController())
    const { value, selectionStart } = field.current!
    setActive(-1)
    const list = await find(value.slice(0, selectionStart ?? value.length), signal, isAsked)
    if (!signal.aborted) show(list)
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
    if (event.nativeEvent.isComposing) return
    // Moves the cursor, or changes the text in a way that the list does not know.
    if (event.altKey || event.ctrlKey || event.metaKey) return close()
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp': {
        const by = event.key === 'ArrowDown' ? 1 : -1
        if (isOpen) setActive(active < 0 && by < 0 ? texts.length - 1 : (active + by + texts.length) % texts.length)
        else if (isMultiline) return
        else void suggest(true)
        return event.preventDefault()
      }
      case 'Enter':
      case 'Tab':
        if (active < 0 || event.shiftKey) return close()
        take(texts[active]!)
        return event.preventDefault()
      case 'Escape':
        // With an open list it neither empties nor leaves the field, nor closes the menu around it.
        if (isOpen) {
          event.preventDefault()
          event.stopPropagation()
        }
        return close()
      case 'ArrowLeft':
      case 'ArrowRight':
      case 'Home':
      case 'End':
      case 'PageUp':
      case 'PageDown':
        return close()
    }
  }

  const aria: AriaAttributes & { role?: 'combobox' } = {
    'aria-autocomplete': 'list',
    'aria-controls': isOpen ? id : undefined,
    'aria-activedescendant': active < 0 ? undefined : `${id}-${active}`,
    // A text box of several lines cannot be a combobox.
    ...(!isMultiline && { role: 'combobox', 'aria-expanded': isOpen })
  }
  return {
    field: {
      ref: field,
      onInput: () => void suggest(false),
      onKeyDown,
      onClick: close,
      onBlur: close,
      ...(hasScript && aria)
    },
    list: (
      <>
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
        <span className="visually-hidden" role="status">
          {isOpen && countOf(texts.length, 'suggestion')}
        </span>
      </>
    )
  }
}

const stay = (event: { preventDefault: () => void }) => event.preventDefault()
