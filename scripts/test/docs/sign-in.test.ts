import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'
import { buildSignInSite } from '@hull/test-helpers/sign-in-app.ts'
import { typeCheck } from '@hull/test-helpers/type-check.ts'

const PROJECT = join(import.meta.dirname, '../../..')
const EXAMPLE = join(PROJECT, 'docs/examples/sign-in')
const text = readFileSync(join(PROJECT, 'docs/sign-in.md'), 'utf8')

/** Recipe of each file, from the rows of the table in the document. */
const RECIPES = new Map<string, string>()
for (const [, files, recipe] of text.matchAll(/^\| (\[[^|]+) \| [^|]+ \| (both|password|OIDC) \|$/gm))
  for (const [, file] of files!.matchAll(/\(examples\/sign-in\/([^)]+)\)/g)) RECIPES.set(file!, recipe!)

t.test('docs/sign-in.md lists all files of the example', async (t) => {
  const files = globSync('**/*.{ts,tsx}', { cwd: EXAMPLE })
  t.same([...RECIPES.keys()].sort(), files.sort())
})

t.test('the start fails with a clear message if DATA_DIR is a file', async (t) => {
  const { openDatabase } = await import('../../../docs/examples/sign-in/plugins/sign-ins.ts')
  const file = join(import.meta.filename, 'sign-in.db')
  t.throws(() => openDatabase(file, ''), {
    code: 'APP_CONFIG_INVALID',
    message: `The sign-ins cannot be stored in ${file}: set DATA_DIR to a folder that can be written`
  })
})

t.test('a password that is replaced during its check is refused', async (t) => {
  const { createPasswords, openAccounts } = await import('../../../docs/examples/sign-in/plugins/passwords.ts')
  const accounts = openAccounts(':memory:')
  t.teardown(() => accounts.close())
  const passwords = createPasswords(accounts)
  const given = { password: 'the first of her passwords', address: '192.0.2.1' }
  const id = await passwords.set('ada', given.password)
  const changes = ['the second of her passwords', 'the third of her passwords'].map((next) =>
    passwords.change(id, next, given)
  )
  const accepted = (await Promise.all(changes)).filter(({ account }) => account)
  t.equal(accepted.length, 1, 'only one of two parallel changes succeeds')

  await passwords.set('ada', given.password)
  const checking = passwords.check({ name: 'ada', ...given })
  accounts.setHash(id, 'hash of another one')
  t.same(await checking, {})
})

t.test('no file of a recipe imports a file of the other recipe', async (t) => {
  for (const [file, recipe] of RECIPES) {
    const source = readFileSync(join(EXAMPLE, file), 'utf8')
    for (const [, target] of source.matchAll(/from '(\.[^']+)'/g)) {
      const imported = normalize(join(dirname(file), target!))
      if (existsSync(join(PROJECT, imported))) continue
      const ofImported = RECIPES.get(imported)
      t.ok(ofImported === 'both' || ofImported === recipe, `${file} imports ${imported}`)
    }
  }
})

t.test('the example is type-checked with the application', async (t) => {
  const { code, output } = await typeCheck(await buildSignInSite(t), [
    'client',
    'plugins',
    'routes',
    '.hull/types/pages.ts'
  ])
  t.equal(code, 0, output)
})
