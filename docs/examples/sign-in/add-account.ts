import { text } from 'node:stream/consumers'
import { createPasswords, MIN_PASSWORD_LENGTH, openAccounts } from './plugins/passwords.ts'
import { openSignIns } from './plugins/sign-ins.ts'

/*
 * Adds an account, or replaces its password and signs it out everywhere:
 *
 *   read -rs PASSWORD && printf %s "$PASSWORD" | npm exec -c 'node add-account.ts data/sign-in.db ada'
 */

const [file, name] = process.argv.slice(2)
if (file === undefined || name === undefined) throw new Error('Usage: node add-account.ts <file> <name> < password')
const password = (await text(process.stdin)).replace(/\r?\n$/, '')
if (password.length < MIN_PASSWORD_LENGTH)
  throw new Error(`The password needs at least ${MIN_PASSWORD_LENGTH} characters`)
const accounts = openAccounts(file)
const signIns = openSignIns(file)
signIns.endAll(await createPasswords(accounts).set(name, password))
accounts.close()
signIns.close()
process.stdout.write(`Added ${name}\n`)
