import { useEffect, useRef } from 'react'
import { Announcement } from './announcement.tsx'

interface NewRowsProps {
  /** Text of the button, such as `Show 2 new issues`; undefined if there are no new rows. */
  text: string | undefined
  /** Adds the rows to the list. */
  show: () => void
  /** Selector of the element of a row that receives the focus. */
  row: string
}

/** Announces new rows, and adds them at a click. Then the button is removed, and the first row has the focus. */
export function NewRows({ text, show, row }: NewRowsProps) {
  const toFocus = useRef<FocusOptions>(undefined)

  useEffect(() => {
    if (toFocus.current === undefined) return
    document.querySelector<HTMLElement>(row)?.focus(toFocus.current)
    toFocus.current = undefined
  })

  return (
    <>
      <p className="new-rows">
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
      <Announcement text={text} />
    </>
  )
}
