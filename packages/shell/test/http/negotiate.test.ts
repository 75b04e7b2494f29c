import t from 'tap'
import { prefersJson } from '../../src/http/negotiate.ts'

t.test('browsers, curl and clients without an Accept header get HTML', async (t) => {
  for (const accept of [
    undefined,
    '',
    '*/*',
    'text/html',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'text/html, application/json',
    'text/html;charset=utf-8',
    'application/xhtml+xml,text/html',
    'application/json;q=0.5, text/html',
    'image/avif,image/webp,*/*;q=0.8',
    'text/plain',
    'nonsense',
    ',,,;q=,',
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
    'text/html; q=0.9, application/json; q=0.9',
    'text/*, application/*;q=0.9',
    'text/css',
    'application/json;q=0',
    'application/json; Q=0',
    'application/json;q=-1',
    'application/json;q=NaN'
  ])
    t.equal(prefersJson(accept), false, String(accept))
})

t.test('programs get JSON', async (t) => {
  for (const accept of [
    'application/json',
    'application/problem+json',
    'application/json, text/plain, */*',
    'application/problem+json, application/json;q=0.9',
    'text/html;q=0.5, application/json',
    'text/html;q=0, application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/problem+json;q=0.5',
    'application/*',
    'text/html;q=0, */*',
    'text/html;q=0.8;level=1, application/*;q=0.9'
  ])
    t.equal(prefersJson(accept), true, accept)
})

t.test('an invalid header of any length needs little CPU time', async (t) => {
  const began = process.cpuUsage()
  for (const part of ['a/b;q=0.1,', 'text/html;q=NaN,', ';q=', ',', ' ', '\t;', 'application/json;q=1e999 x,'])
    t.type(prefersJson(part.repeat(16_384 / part.length)), 'boolean')
  t.ok(process.cpuUsage(began).user < 2_000_000)
})
