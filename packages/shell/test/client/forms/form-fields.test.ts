import t from 'tap'
import { z } from 'zod'
import { checkForm, FieldNameError, toErrors, toFields } from '../../../src/client/forms/form-fields.ts'

const fieldsOf = (...entries: Array<[string, string | File]>) => toFields(entries)

t.test('fields become an object', async (t) => {
  t.test('with text, lists and nested objects', async (t) => {
    t.same(fieldsOf(['a', '1'], ['tags[]', 'x'], ['home.city', 'Oslo'], ['home.zip', ''], ['tags[]', 'y']), {
      a: '1',
      tags: ['x', 'y'],
      home: { city: 'Oslo', zip: '' }
    })
    t.same(fieldsOf(['home.tags[]', 'x']), { home: { tags: ['x'] } })
  })

  t.test('of which the last one with a name is used, as for a hidden field before a checkbox', async (t) => {
    t.same(fieldsOf(['agree', 'no'], ['agree', 'yes']), { agree: 'yes' })
  })

  t.test('with files, and without an empty file input', async (t) => {
    const file = new File(['x'], 'a.txt')
    const empty = new File([], 'b.txt')
    t.same(fieldsOf(['none', new File([], '')], ['empty', empty], ['file', file], ['files[]', file]), {
      empty,
      file,
      files: [file]
    })
  })

  t.test('whose names can be those of members of Object.prototype', async (t) => {
    t.same(fieldsOf(['toString', 'x'], ['valueOf[]', 'y']), { toString: 'x', valueOf: ['y'] })
  })

  t.test(
    'except if a name is `__proto__` or `prototype`, is nested too deeply, or conflicts with another',
    async (t) => {
      for (const names of [
        ['__proto__'],
        ['__proto__.polluted'],
        ['a.__proto__.polluted'],
        ['constructor.prototype.polluted'],
        ['prototype[]'],
        ['a.b.c.d.e.f.g.h.i'],
        ['a', 'a.b'],
        ['a.b', 'a'],
        ['a', 'a[]'],
        ['a[]', 'a'],
        ['a[]', 'a.b']
      ])
        t.throws(() => fieldsOf(...names.map((name): [string, string] => [name, 'x'])), FieldNameError, names.join())
      t.equal(({} as { polluted?: string }).polluted, undefined)
      t.same(fieldsOf(['toString.x', 'y']), { toString: { x: 'y' } })
      t.notOk('x' in Object.prototype.toString)
    }
  )
})

t.test('issues become the first message of each field', async (t) => {
  t.same(
    toErrors([
      { message: 'one', path: ['a'] },
      { message: 'two', path: ['a'] },
      { message: 'city', path: [{ key: 'home' }, { key: 'city' }] },
      { message: 'entry', path: ['tags', 1] },
      { message: 'whole' },
      { message: 'first', path: [0] },
      { message: 'proto', path: ['__proto__'] }
    ]),
    { a: 'one', 'home.city': 'city', tags: 'entry', form: 'whole', ['__proto__']: 'proto' }
  )
})

t.test('checkForm returns values or errors', async (t) => {
  const schema = z.object({ count: z.coerce.number('Enter a number.') })
  const form = new FormData()
  form.set('count', 'x')
  t.same(await checkForm(schema, form), { errors: { count: 'Enter a number.' } })
  form.set('count', '3')
  t.same(await checkForm(schema, form), { values: { count: 3 } })
})
