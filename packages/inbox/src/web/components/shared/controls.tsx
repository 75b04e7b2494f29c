import type { ComponentProps, ReactNode } from 'react'
import { Hidden } from './hidden-fields.tsx'

/** Look of a button: the main action of its form, or one that deletes. @default any other action */
type ButtonKind = 'main' | 'bad'

const classOf = (kind?: ButtonKind) => (kind === undefined ? 'button' : `button button-${kind}`)

interface SubmitButtonProps extends ComponentProps<'button'> {
  label: string
  kind?: ButtonKind
  /** Value of the form's `intent`, for a form or an action with several. */
  intent?: string
}

/** Button that sends its form. */
export const SubmitButton = ({ label, kind, intent, ...attributes }: SubmitButtonProps) => (
  <button type="submit" className={classOf(kind)} name={intent && 'intent'} value={intent} {...attributes}>
    {label}
  </button>
)

interface ButtonFormProps extends SubmitButtonProps {
  /** Hidden fields. */
  fields?: Record<string, string | number>
}

/** Form that is only a button. */
export const ButtonForm = ({ fields = {}, ...button }: ButtonFormProps) => (
  <form method="post">
    <Hidden fields={fields} />
    <SubmitButton {...button} />
  </form>
)

interface FieldFormProps extends ComponentProps<'form'> {
  /** The button below the fields. */
  submit: ReactNode
}

/** Form whose fields are below each other. The server says which are invalid. */
export const FieldForm = ({ action, submit, children, ...attributes }: FieldFormProps) => (
  <form method="post" action={action} className="form" noValidate {...attributes}>
    {children}
    <p>{submit}</p>
  </form>
)

interface LinkButtonProps extends ComponentProps<'a'> {
  href: string
  label: string
  kind?: ButtonKind
}

/** Link that looks like a button. */
export const LinkButton = ({ href, label, kind, ...attributes }: LinkButtonProps) => (
  <a className={classOf(kind)} href={href} {...attributes}>
    {label}
  </a>
)
