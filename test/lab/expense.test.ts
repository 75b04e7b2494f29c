import t from 'tap'
import { checkExpense, parseAmount } from '../../routes/lab/expense.ts'

const RIGHT = { name: 'Ada', email: 'ada@example.org', amount: '12.50', comment: '' }

const check = (fields: Partial<Record<keyof typeof RIGHT, string>>) => {
  const form = new FormData()
  for (const [name, value] of Object.entries({ ...RIGHT, ...fields })) form.set(name, value)
  return Object.keys(checkExpense(form))
}

t.test('accepts a complete claim', async (t) => {
  t.same(check({}), [])
  t.same(check({ amount: ' 5000 ', comment: 'x'.repeat(400) }), [])
})

t.test('names every wrong field', async (t) => {
  t.same(check({ name: '  ' }), ['name'])
  for (const email of ['', 'ada', 'ada@', 'ada@example', 'a da@example.org']) t.same(check({ email }), ['email'], email)
  for (const amount of ['', 'ten', '0', '-1', '5000.01', '1.234', '12,345', '1e3', 'Infinity']) {
    t.same(check({ amount }), ['amount'], amount)
  }
  t.same(check({ comment: 'x'.repeat(401) }), ['comment'])
  t.same(check({ name: '', email: '', amount: '' }), ['name', 'email', 'amount'])
})

t.test('finds every field wrong in an empty form', async (t) => {
  t.same(Object.keys(checkExpense(new FormData())), ['name', 'email', 'amount'])
})

t.test('reads an amount with a point or a comma', async (t) => {
  t.equal(parseAmount('12'), 12)
  t.equal(parseAmount('12.5'), 12.5)
  t.equal(parseAmount('12,50'), 12.5)
  t.equal(parseAmount('12.'), undefined)
})
