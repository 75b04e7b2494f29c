import t from 'tap'
import { findFunctionNames } from '../../src/build/function-names.ts'
import { nameAt } from '../../../inbox/src/symbolication/parsed-map.ts'

/** Returns the name of the function that contains `HERE`. */
function nameIn(code: string, file = 'a.tsx') {
  const before = code.slice(0, code.indexOf('HERE')).split('\n')
  return nameAt(findFunctionNames(file, code), before.length - 1, before.at(-1)!.length)
}

const CASES: [behaviour: string, name: string | undefined, code: string][] = [
  ['a declaration', 'shop', 'function shop() { HERE }'],
  ['a default export', 'Page', 'export default function Page() { return HERE }'],
  ['a default export without a name', 'default', 'export default () => HERE'],
  ['the variable it is assigned to', 'total', 'const total = (a: number) => a + HERE'],
  ['a member it is assigned to', 'send', 'client.send = async () => { HERE }'],
  ['a property', 'onClick', 'const actions = { onClick: () => HERE }'],
  ['a quoted property', 'a b', "const actions = { 'a b'() { HERE } }"],
  ['an attribute', 'onClick', '<b onClick={() => HERE} />'],
  ['a method and its class', 'Cart.add', 'class Cart { add() { HERE } }'],
  ['a private method', 'Cart.#add', 'class Cart { #add() { HERE } }'],
  ['a field that is a function', 'Cart.add', 'const Cart = class { add = () => HERE }'],
  ['a default value', 'pick', 'function f({ pick = () => HERE }) {}'],
  ['the variable, through wrapping calls', 'Row', 'const Row = memo(forwardRef(() => HERE)) as never'],
  ['the innermost function', 'inner', 'function outer() {\n  function inner() {\n    HERE\n  }\n}'],
  [
    'the function around it, if it is a callback',
    'outer',
    'function outer(rows) {\n  return rows.map((row) => HERE)\n}'
  ],
  [
    'the function around it, if a call returns the value',
    'outer',
    'function outer() { const first = rows.find(() => HERE) }'
  ],
  ['nothing before the first function', undefined, 'HERE; function later() {}'],
  ['nothing after a function', undefined, 'function sooner() {} HERE'],
  ['nothing in a file that cannot be parsed', undefined, 'function { HERE']
]

for (const [behaviour, name, code] of CASES)
  t.test(`a function is named after ${behaviour}`, async (t) => {
    t.equal(nameIn(code), name)
  })

t.test('the extension of a file selects its syntax', async (t) => {
  t.equal(nameIn('function f<T>(a: T) { <T>HERE }', 'a.ts'), 'f')
  t.equal(nameIn('function f() { HERE }', 'a.js'), 'f')
})
