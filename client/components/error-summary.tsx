import type { FormState } from '#shell'

interface ErrorSummaryProps {
  form?: FormState
  /** What did not happen. @default Your form was not sent */
  title?: string
}

/** On top of a form that was refused: what to mend, each a link to its field. */
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
