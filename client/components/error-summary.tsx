import type { FormState } from '#shell'

/** On top of a form that was refused: what to mend, each a link to its field. */
export function ErrorSummary({ form }: { form?: FormState }) {
  const errors = Object.entries(form?.errors ?? {})
  if (errors.length === 0) return null
  return (
    <section className="notice notice-bad" role="alert" aria-labelledby="mend">
      <h2 id="mend">
        {errors.length === 1
          ? 'Nothing was sent: one field to mend'
          : `Nothing was sent: ${errors.length} fields to mend`}
      </h2>
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
