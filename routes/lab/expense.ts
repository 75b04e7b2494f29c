import { textOf } from '@hull/shell'

export type ExpenseField = 'name' | 'email' | 'amount' | 'comment'

const MAX_COMMENT = 400

/** Errors of a claim, one sentence per field; empty if it is valid. */
export function checkExpense(form: FormData): Partial<Record<ExpenseField, string>> {
  const errors: Partial<Record<ExpenseField, string>> = {}
  if (!textOf(form, 'name')) errors.name = 'Say who claims it.'
  if (!/^\S+@\S+\.\S+$/.test(textOf(form, 'email')))
    errors.email = 'Give an address with an @ in it and a domain behind, such as ada@example.org.'
  const amount = parseAmount(textOf(form, 'amount'))
  if (amount === undefined) errors.amount = 'Write the amount in digits, with at most two after the point: 12.50.'
  else if (amount <= 0 || amount > 5_000) errors.amount = 'Claim more than nothing and at most 5,000.'
  if (textOf(form, 'comment').length > MAX_COMMENT) errors.comment = `Use at most ${MAX_COMMENT} characters.`
  return errors
}

/** Parses `12`, `12.5` or `12,50`. */
export function parseAmount(text: string): number | undefined {
  return /^\d{1,7}([.,]\d{1,2})?$/.test(text) ? Number(text.replace(',', '.')) : undefined
}
