import t from 'tap'
import { parseDsn } from '../../../lib/tunnel/dsn.ts'

t.test('parseDsn says where envelopes go', async (t) => {
  t.strictSame(parseDsn('https://abc@o1.ingest.example/42'), {
    origin: 'https://o1.ingest.example',
    path: '/api/42/envelope/',
    publicKey: 'abc',
    label: 'o1.ingest.example/42'
  })
  t.strictSame(parseDsn('http://abc:def@[::1]:9000/deep/path/42/'), {
    origin: 'http://[::1]:9000',
    path: '/deep/path/api/42/envelope/',
    publicKey: 'abc',
    secretKey: 'def',
    label: '[::1]:9000/deep/path/42'
  })
})

t.test('parseDsn refuses what is none, and does not repeat it', async (t) => {
  for (const dsn of [
    '',
    'abc',
    'https://host.example/1',
    'https://secret@host.example',
    'https://secret@host.example/',
    'https://secret@host.example/1?x=1',
    'https://secret@host.example/1#x',
    'ftp://secret@host.example/1',
    'https://secret%0d@host.example/1',
    'https://abc:secret%0a@host.example/1'
  ]) {
    t.throws(() => parseDsn(dsn), { name: 'TypeError', message: /^(?!.*secret@).*DSN/ }, dsn)
  }
})
