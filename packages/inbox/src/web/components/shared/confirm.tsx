import type { ReactNode } from 'react'
import { SubmitButton } from './controls.tsx'
import { Hidden } from './hidden-fields.tsx'
import { Section } from './parts.tsx'

interface ConfirmProps {
  /** Label of the button that opens the confirmation. The button that confirms says `now` behind it. */
  label: string
  /** Says what will happen, and what cannot be undone. */
  children: ReactNode
  /** The form's intent. */
  intent: string
  /** Additional hidden fields. */
  fields?: Record<string, string | number>
}

/** Button with a confirmation, for actions that cannot be undone. Works without script. */
export function Confirm({ label, intent, fields = {}, children }: ConfirmProps) {
  return (
    <details className="confirm">
      <summary className="button">{label}</summary>
      <form method="post" className="confirm-body">
        <p>{children}</p>
        <Hidden fields={fields} />
        <SubmitButton kind="bad" intent={intent} label={`${label} now`} />
      </form>
    </details>
  )
}

/** Last section of a page, with its {@link Confirm} buttons. */
export function DangerZone({ children }: { children: ReactNode }) {
  return (
    <Section id="ends" title="Danger zone">
      <div className="confirms">{children}</div>
    </Section>
  )
}
