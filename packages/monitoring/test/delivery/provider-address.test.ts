import t from 'tap'
import { toProviderAddress } from '../../src/delivery/provider-address.ts'

t.test('toProviderAddress returns the endpoint for envelopes of a DSN', async (t) => {
  t.strictSame(toProviderAddress('https://abc@o1.ingest.example/42'), {
    origin: 'https://o1.ingest.example',
    path: '/api/42/envelope/',
    publicKey: 'abc',
    label: 'o1.ingest.example/42'
  })
  t.strictSame(toProviderAddress('http://abc:def@[::1]:9000/deep/path/42/'), {
    origin: 'http://[::1]:9000',
    path: '/deep/path/api/42/envelope/',
    publicKey: 'abc',
    label: '[::1]:9000/deep/path/42'
  })
})

t.test('toProviderAddress refuses an invalid DSN, without its content in the error', async (t) => {
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
    'https://secret@host.example/project'
  ]) {
    t.throws(() => toProviderAddress(dsn), { name: 'TypeError', message: /^(?!.*secret@).*DSN/ }, dsn)
  }
})
