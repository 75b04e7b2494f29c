import {
  ErrorSummary,
  Field,
  invalid,
  redirect,
  useNavigation,
  type ActionCtx,
  type Ctx,
  type PageProps
} from '@hull/shell/client'
import { LabPage } from '../../components/lab/lab-page.tsx'
import { checkExpense, parseAmount } from '../../../routes/lab/expense.ts'
import { textOf } from '@hull/shell'

export const layout = 'lab'

export const getData = ({ search }: Ctx) => ({ sent: parseAmount(search.get('sent') ?? '')?.toFixed(2) ?? null })

export const getMeta = () => ({ title: 'Form · Lab', robots: 'noindex' })

export function action({ form }: ActionCtx) {
  const errors = checkExpense(form)
  if (Object.keys(errors).length > 0) return invalid(errors as Record<keyof typeof errors, string>)
  redirect(`/lab/form?sent=${parseAmount(textOf(form, 'amount'))!.toFixed(2)}`)
}

export default function FormPage({ data: { sent }, form }: PageProps<typeof getData, typeof action>) {
  const isSending = useNavigation().state === 'submitting'
  return (
    <LabPage
      title="Claim an expense"
      expect="Nothing is stored. Each invalid field shows its error, the form keeps its values, and it works without JavaScript."
    >
      {sent && !form && <p className="notice" role="status">{`A claim of ${sent} was taken.`}</p>}
      <ErrorSummary form={form} />
      {/* the browser's own checks would hide the server's */}
      <form method="post" action="/lab/form" className="form" noValidate>
        <Field name="name" label="Name" form={form} autoComplete="name" />
        <Field name="email" label="E-mail" form={form} type="email" autoComplete="email" />
        <Field
          name="amount"
          label="Amount"
          hint="At most 5,000"
          form={form}
          inputMode="decimal"
          autoComplete="off"
          className="input-short"
        />
        <Field name="comment" label="Purpose" hint="Optional" form={form} rows={4} />
        <p>
          <button type="submit" className="button button-main">
            {isSending ? 'Sending …' : 'Send the claim'}
          </button>
        </p>
      </form>
    </LabPage>
  )
}
