import { useState, type InputHTMLAttributes, type TextareaHTMLAttributes } from 'react'
import type { FormState, PostedValues } from '../contracts/form.ts'

type AnyFormState = FormState<Record<string, string>, PostedValues>

export interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'form'> {
  /** Name in the posted form. */
  name: string
  /** Id of the control, for a name that the document has twice. @default the name */
  id?: string
  label: string
  /** A sentence below the label, connected by `aria-describedby`. */
  hint?: string
  /** The page's `form` prop, which contains the field's error and the entered value. */
  form?: AnyFormState
  /** Lines of a text area. @default one line: an input */
  rows?: number
}

/**
 * A labelled form control with its hint and its error. Other props go to the input or the text area; `defaultValue` is
 * its value until a form is refused.
 */
export function Field({ name, id = name, label, hint, form, rows, className = '', defaultValue, ...rest }: FieldProps) {
  const error = form?.errors[name]
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined
  const control = {
    id,
    name,
    className: `input ${className}`.trim(),
    defaultValue: form?.values[name] ?? defaultValue,
    'aria-invalid': error ? true : undefined,
    'aria-describedby': describedBy
  }
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {hint && (
        <p className="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {rows ? (
        <textarea {...control} {...(rest as TextareaHTMLAttributes<HTMLTextAreaElement>)} rows={rows} />
      ) : (
        <input {...control} {...rest} />
      )}
      {error && (
        <p className="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  )
}

export interface ErrorSummaryProps {
  /** The page's `form` prop; nothing is rendered while it has no errors. */
  form?: AnyFormState
  /** First sentence of the heading. @default 'Your form was not sent' */
  title?: string
  /**
   * Returns the whole heading, such as in another language, in place of the title and the number of fields.
   * @param fields number of fields with an error; 0 if only the whole form has one
   */
  heading?: (fields: number) => string
}

/**
 * Lists the errors of a refused form, each a link to its {@link Field}, except that of the whole form. Place it above the
 * form.
 */
export function ErrorSummary({ form, title = 'Your form was not sent', heading }: ErrorSummaryProps) {
  const round = useRound(form?.errors)
  const { form: ofForm, ...ofFields } = form?.errors ?? {}
  const fields = Object.entries(ofFields)
  if (ofForm === undefined && fields.length === 0) return null
  return (
    <section key={round} className="notice notice-bad" role="alert" aria-labelledby="error-summary-title">
      <h2 id="error-summary-title">{heading?.(fields.length) ?? toHeading(title, fields.length)}</h2>
      <ul>
        {ofForm !== undefined && <li>{ofForm}</li>}
        {fields.map(([name, message]) => (
          <li key={name}>
            <a href={`#${name}`}>{message}</a>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Counts refused forms: screen readers read the same errors again only if they are in a new element. */
function useRound(errors: object | undefined): number {
  const [last, setLast] = useState({ errors, round: 0 })
  if (errors !== last.errors) setLast({ errors, round: last.round + 1 })
  return last.round
}

function toHeading(title: string, fields: number): string {
  if (fields === 0) return `${title}:`
  return `${title}. ${fields === 1 ? 'Check one field' : `Check ${fields} fields`}:`
}
