import type { InputHTMLAttributes } from 'react'
import type { FormState } from '#shell'

interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'form'> {
  name: string
  label: string
  hint?: string
  /** The form's state after it was refused: the error and what was typed are taken from it. */
  form?: FormState
  /** Lines of a text area; without it the field has one line. */
  rows?: number
}

/** A labelled field with its hint and its error. */
export function Field({ name, label, hint, form, rows, className = '', ...rest }: FieldProps) {
  const error = form?.errors[name]
  const describedBy = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ') || undefined
  const control = {
    id: name,
    name,
    className: `input ${className}`.trim(),
    defaultValue: form?.values[name],
    'aria-invalid': error ? true : undefined,
    'aria-describedby': describedBy
  }
  return (
    <div className="field">
      <label htmlFor={name}>{label}</label>
      {hint && (
        <p className="field-hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {rows ? <textarea {...control} rows={rows} /> : <input {...control} {...rest} />}
      {error && (
        <p className="field-error" id={`${name}-error`}>
          {error}
        </p>
      )}
    </div>
  )
}
