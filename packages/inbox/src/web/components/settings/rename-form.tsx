import { ErrorSummary, Field, type FormState } from '@hull/shell/client'
import { FieldForm, SubmitButton } from '../shared/controls.tsx'

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
      <FieldForm data-keep-scroll submit={<SubmitButton intent="rename" label="Rename" />}>
        <Field
          name="name"
          label="Name"
          form={form ?? { errors: {}, values: { name } }}
          autoComplete={autoComplete}
          maxLength={maxLength}
        />
      </FieldForm>
    </>
  )
}
