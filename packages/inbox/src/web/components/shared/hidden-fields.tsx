import { viewFields, type InboxView } from '../../view.ts'

/** Hidden fields of a form. */
export function Hidden({ fields }: { fields: Record<string, string | number> }) {
  return Object.entries(fields).map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />)
}

/** Hidden fields of a GET form that keep the view. */
export const ViewFields = ({ view }: { view: InboxView }) => <Hidden fields={Object.fromEntries(viewFields(view))} />
