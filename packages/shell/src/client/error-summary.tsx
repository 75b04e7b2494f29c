import type { FormState } from './contract.ts'

export interface ErrorSummaryProps {
  /** The page's `form` prop; nothing is rendered while it has no errors. */
  form?: FormState
  /** First sentence of the heading. @default 'Your form was not sent' */
  title?: string
}

/** Lists the errors of a refused form, each a link to its {@link Field}. Place it above the form. */
export function ErrorSummary({ form, title = 'Your form was not sent' }: ErrorSummaryProps) {
  const errors = Object.entries(form?.errors ?? {})
  if (errors.length === 0) return null
  return (
    <section className="notice notice-bad" role="alert" aria-labelledby="mend">
      <h2 id="mend">{`${title}. ${errors.length === 1 ? 'Check one field' : `Check ${errors.length} fields`}:`}</h2>
      <ul>
        {errors.map(([name, message]) => (
          <li key={name}>
            <a href={`#${name}`}>{message}</a>
          </li>
        ))}
      </ul>
    </section>
  )
}
