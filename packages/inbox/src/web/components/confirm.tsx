import type { ReactNode } from 'react'

interface ConfirmProps {
  /** What stands on the button that asks. */
  label: string
  /** What will happen, and what cannot be taken back. */
  children: ReactNode
  /** What stands on the button that does it. @default the label */
  does?: string
  /** The form's intent. */
  intent: string
  /** Further fields. */
  fields?: Record<string, string | number>
}

/** Something that cannot be taken back: one press tells what it does, the next one does it. Needs no script. */
export function Confirm({ label, does = label, intent, fields = {}, children }: ConfirmProps) {
  return (
    <details className="confirm">
      <summary className="button">{label}</summary>
      <form method="post" className="confirm-body">
        <p>{children}</p>
        <Hidden fields={fields} />
        <button type="submit" className="button button-bad" name="intent" value={intent}>
          {does}
        </button>
      </form>
    </details>
  )
}

/** Fields of a form that nobody fills in. */
export function Hidden({ fields }: { fields: Record<string, string | number> }) {
  return Object.entries(fields).map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />)
}
