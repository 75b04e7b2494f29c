import { useEffect, useRef } from 'react'

interface ArrivedProps {
  /** Text of the button, such as `Show 2 new issues`; undefined if nothing has arrived. */
  text: string | undefined
  /** Adds the rows to the list. */
  show: () => void
  /** Selector of what gets the focus in each row. */
  row: string
}

/** Announces rows that have arrived, and shows them at a click. The button is then gone: the first row has the focus. */
export function Arrived({ text, show, row }: ArrivedProps) {
  const toFocus = useRef<FocusOptions>(undefined)

  useEffect(() => {
    if (toFocus.current === undefined) return
    document.querySelector<HTMLElement>(row)?.focus(toFocus.current)
    toFocus.current = undefined
  })

  return (
    <p className="arrived" role="status">
      {text !== undefined && (
        <button
          type="button"
          className="button"
          onClick={({ detail }) => {
            // A click, unlike a key, leaves the position to the visitor.
            toFocus.current = { preventScroll: detail > 0 }
            show()
          }}
        >
          {text}
        </button>
      )}
    </p>
  )
}
