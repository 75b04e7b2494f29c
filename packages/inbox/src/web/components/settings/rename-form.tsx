import { ErrorSummary, Field, type FormState } from '@hull/shell/client'
import { SubmitButton } from '../shared/controls.tsx'

interface RenameFormProps {
  /** Current name. */
  name: string
  /** Refused name, and the reason. */
  form: FormState | undefined
  maxLength: number
  /** @default off */
  autoComplete?: string
}

/** Form that posts `name`, with the intent `rename`. */
export function RenameForm({ name, form, maxLength, autoComplete = 'off' }: RenameFormProps) {
  return (
    <>
      <ErrorSummary form={form} title="Your change was not applied" />
      <form method="post" className="form" noValidate data-keep-scroll>
        <Field
          name="name"
          label="Name"
          form={form ?? { errors: {}, values: { name } }}
          autoComplete={autoComplete}
          maxLength={maxLength}
        />
        <p>
          <SubmitButton intent="rename" label="Rename" />
        </p>
      </form>
    </>
  )
}
