import { resolve } from 'node:path'
import t from 'tap'
import { loadConfig, publicConfig, readConfig, SETTINGS, type Config } from '../config.ts'

type Name = keyof typeof SETTINGS

interface Case {
  /** Default value. */
  standard: unknown
  /** Values in the environment, and the resulting settings. */
  good: Array<[text: string, value: unknown]>
  /** Values that are refused at start. */
  bad: string[]
  /** Part of the error message that describes the valid values. */
  takes?: string | RegExp
}

const MIB = 1024 ** 2
const DURATION: Pick<Case, 'good' | 'bad' | 'takes'> = {
  good: [
    ['500', 500],
    ['250ms', 250],
    ['1.5s', 1_500],
    ['2m', 120_000]
  ],
  bad: ['-1s', 'ten', '10 parsecs', '1.2.3', '1e3', 'Infinity', '10S', 's', '600h'],
  takes: /a duration such as 500ms, 10s or 1m|more than 0/
}
const BYTES: Pick<Case, 'good' | 'bad' | 'takes'> = {
  good: [
    ['1000', 1_000],
    ['512KiB', 512 * 1024],
    ['1.5 MiB', 1.5 * MIB],
    ['1GiB', 1024 * MIB]
  ],
  bad: ['-1', '1MB', '0x10', '1.00001KiB', '9007199254740993', 'much'],
  takes: /a size such as 512KiB or 64MiB|more than 0/
}
const secret = (length: number): Case => ({
  standard: undefined,
  good: [['s'.repeat(length), 's'.repeat(length)]],
  bad: ['hush'.repeat(length / 4 - 1)],
  takes: `at least ${length} characters`
})

const CASES: Partial<Record<Name, Case>> = {
  host: { standard: 'localhost', good: [['0.0.0.0', '0.0.0.0']], bad: [] },
  port: {
    standard: 3000,
    good: [
      ['0', 0],
      ['65535', 65_535],
      [' 80 ', 80]
    ],
    bad: ['-1', '65536', '80.5', 'http', '0x50', '3000;'],
    takes: 'a whole number from 0 to 65535'
  },
  basePath: {
    standard: undefined,
    good: [
      ['/shop', '/shop'],
      ['/team/shop.2', '/team/shop.2']
    ],
    bad: ['shop', '/', '/shop/', '//shop', '/shop?a', '/[id]', '/a%20b']
  },
  assetsUrl: {
    standard: undefined,
    good: [
      ['https://cdn.example', 'https://cdn.example'],
      ['https://cdn.example/shop/', 'https://cdn.example/shop']
    ],
    bad: [
      'cdn.example',
      '//cdn.example',
      '/files',
      'https://cdn.example/?v=1',
      'https://u:p@cdn.example',
      'ftp://cdn.example'
    ]
  },
  baseUrl: {
    standard: undefined,
    good: [
      ['https://app.example', 'https://app.example'],
      ['http://localhost:3000/', 'http://localhost:3000']
    ],
    bad: [
      'app.example',
      'https://app.example/path',
      'ftp://app.example',
      'https://user:pass@app.example',
      'https://app.example?x',
      'https://APP.example',
      '//app.example'
    ],
    takes: 'an http or https origin without a path'
  },
  trustProxy: {
    standard: false,
    good: [
      ['true', true],
      ['no', false],
      ['2', 2],
      ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
      ['loopback', ['loopback']],
      ['0.0.0.0/0', ['0.0.0.0/0']]
    ],
    bad: ['everyone', '10.0.0.0/8,', '1.5x', 'proxy.example', '10.0.0.300', '10.0.0.0/33', 'a.b', '::1/129'],
    takes: /a number of hops.*loopback, linklocal and uniquelocal/
  },
  logLevel: {
    standard: 'info',
    good: [['silent', 'silent']],
    bad: ['loud', 'INFO', 'constructor'],
    takes: 'one of trace, debug, info, warn, error, fatal, silent'
  },
  dataDir: { standard: resolve('data'), good: [['/var/lib/hull', '/var/lib/hull']], bad: [] },
  release: { standard: undefined, good: [['1.2.3', '1.2.3']], bad: [] },
  releaseCommit: {
    standard: undefined,
    good: [['3f9c2ab', '3f9c2ab']],
    bad: ['3f9c2a', '3F9C2AB', 'main'],
    takes: 'a commit: 7 to 64 hex digits'
  },
  environment: { standard: 'production', good: [['staging', 'staging']], bad: [] },
  sentryDsn: {
    standard: undefined,
    good: [
      ['https://key@o1.ingest.sentry.example/42', 'https://key@o1.ingest.sentry.example/42'],
      ['http://key@localhost:9000/sentry/1', 'http://key@localhost:9000/sentry/1'],
      ['https://key@sentry.example/42/', 'https://key@sentry.example/42']
    ],
    bad: [
      'sentry.example',
      'https://sentry.example/42',
      'https://key@sentry.example',
      'https://key@sentry.example/web'
    ],
    takes: 'a DSN, such as https://key@sentry.example/42'
  },
  tunnelDsns: {
    standard: undefined,
    good: [['https://a@s.example/1, https://b@s.example/2', ['https://a@s.example/1', 'https://b@s.example/2']]],
    bad: ['https://a@s.example/1,', 'https://a@s.example/1 https://b@s.example/2', 'all'],
    takes: 'DSNs separated by commas'
  },
  tunnelAlias: {
    standard: undefined,
    good: [
      ['/news', '/news'],
      ['/a/b.c', '/a/b.c']
    ],
    bad: ['news', '/', '//evil.example', '/news/', '/:id', '/*', '/a b', '/a?b', '/%41', '/../a', '/-/./a'],
    takes: 'a path of letters, digits'
  },
  inbox: {
    standard: undefined,
    good: [
      ['off', false],
      ['on', true]
    ],
    bad: ['maybe'],
    takes: 'true or false'
  },
  inboxPassword: { standard: undefined, good: [['a long password', 'a long password']], bad: ['too short'] },
  inboxOidcIssuer: {
    standard: undefined,
    good: [['https://login.example/realms/shop', 'https://login.example/realms/shop']],
    bad: ['login.example', 'ftp://login.example', 'https://login.example?a=b', 'https://login.example/#a'],
    takes: 'the issuer as the provider writes it'
  },
  inboxOidcClientId: { standard: undefined, good: [['inbox', 'inbox']], bad: [] },
  inboxOidcClientSecret: { standard: undefined, good: [['a secret', 'a secret']], bad: [] },
  inboxOidcRoles: {
    standard: undefined,
    good: [
      ['*=viewer', { '*': { role: 'viewer', projects: {} } }],
      [
        'inbox-admins=admin, team=a=viewer, team=a=2:member',
        { 'inbox-admins': { role: 'admin', projects: {} }, 'team=a': { role: 'viewer', projects: { 2: 'member' } } }
      ]
    ],
    bad: ['admin', '=admin', 'inbox-admins=owner', '*=viewer,', 'team=x:viewer', 'team=0:viewer', 'team=2:'],
    takes: 'groups and roles'
  },
  inboxOidcClaim: { standard: 'groups', good: [['roles', 'roles']], bad: [] },
  inboxOidcScope: { standard: 'openid profile email', good: [['openid groups', 'openid groups']], bad: [] },
  inboxRetentionDays: { standard: 30, good: [['1', 1]], bad: ['0', '1.5', '4000'], takes: 'a whole number from 1' },
  inboxMaxBytes: {
    standard: 2 * 1024 * MIB,
    good: [['16MiB', 16 * MIB]],
    bad: ['15MiB', '1', 'much'],
    takes: /16MiB or more|a size such as/
  },
  inboxAttachmentBytes: { standard: MIB, good: [['512KiB', MIB / 2]], bad: ['much', '-1'], takes: 'a size such as' },
  inboxAttachments: { standard: 10, good: [['0', 0]], bad: ['-1', '101', 'few'], takes: 'a whole number from 0' },
  inboxProjectAttachmentBytes: {
    standard: 256 * MIB,
    good: [['1GiB', 1024 * MIB]],
    bad: ['much', '-1'],
    takes: 'a size such as'
  },
  inboxKey: {
    standard: undefined,
    good: [['0123456789abcdef'.repeat(2), '0123456789abcdef'.repeat(2)]],
    bad: ['0123456789abcdef', '0123456789ABCDEF'.repeat(2), 'x'.repeat(32)],
    takes: '32 hex digits in lower case'
  },
  inboxKeyRate: { standard: 6_000, good: [['0', 0]], bad: ['-1', '1.5', 'fast'], takes: 'a whole number from 0' },
  inboxUploadMaxBytes: {
    standard: 64 * MIB,
    good: [['1MiB', MIB]],
    bad: ['1023KiB', 'much'],
    takes: /1MiB or more|a size such as/
  },
  inboxSmtpUrl: {
    standard: undefined,
    good: [['smtps://me:secret@mail.example', 'smtps://me:secret@mail.example']],
    bad: ['mail.example', 'https://mail.example', 'smtp:/mail.example'],
    takes: 'a URL that begins with smtp:// or smtps://'
  },
  inboxMailFrom: {
    standard: undefined,
    good: [
      ['inbox@shop.example', 'inbox@shop.example'],
      ['Inbox <inbox@shop.example>', 'Inbox <inbox@shop.example>']
    ],
    bad: ['inbox', 'a b@shop.example', 'Inbox <inbox>'],
    takes: 'a mail address, with or without a name'
  },
  inboxPrivateTargets: { standard: false, good: [['true', true]], bad: ['maybe'], takes: 'true or false' },
  tunnelRate: { standard: 600, good: [['0', 0]], bad: ['-1', '1.5', 'fast'], takes: 'a whole number from 0' },
  sessionSecret: secret(32),
  sessionSecretPrevious: secret(32),
  databaseUrl: {
    standard: undefined,
    good: [
      ['postgresql://me:secret@db/hull', 'postgresql://me:secret@db/hull'],
      ['postgres://db', 'postgres://db']
    ],
    bad: ['db', 'mysql://me:secret@db/hull', 'postgresql:///hull'],
    takes: 'a URL that begins with postgresql://'
  },
  redisUrl: {
    standard: undefined,
    good: [
      ['redis://cache:6379/1', 'redis://cache:6379/1'],
      ['rediss://me:secret@cache', 'rediss://me:secret@cache']
    ],
    bad: ['cache:6379', 'http://cache'],
    takes: 'a URL that begins with redis://'
  },
  sendPii: {
    standard: false,
    good: [['on', true]],
    bad: ['maybe', '2'],
    takes: 'true or false'
  },
  tracesSampleRate: {
    standard: 1,
    good: [
      ['0', 0],
      ['0.25', 0.25],
      ['.5', 0.5],
      ['1', 1]
    ],
    bad: ['1.1', '-1', '10%', 'all', '1e-2', 'NaN'],
    takes: 'a number from 0 to 1'
  },
  traceTargets: {
    standard: [],
    good: [
      ['https://api.example', ['https://api.example']],
      ['https://api.example/, http://127.0.0.1:9', ['https://api.example', 'http://127.0.0.1:9']]
    ],
    bad: ['api.example', 'https://api.example/v1', 'https://api.example,', '*', '/^https/'],
    takes: 'an http or https origin'
  },
  redirectOrigins: {
    standard: [],
    good: [['https://pay.example/, https://id.example', ['https://pay.example', 'https://id.example']]],
    bad: ['pay.example', 'https://pay.example/checkout', '*'],
    takes: 'an http or https origin'
  },
  signInPath: {
    standard: '/lab/sign-in',
    good: [['/sign-in', '/sign-in']],
    bad: ['sign-in', '//evil.example', '/\\evil.example', '/a?b', '/a b', 'https://app.example/sign-in'],
    takes: 'a path of this application'
  },
  renderTimeout: { standard: 10_000, ...DURATION, bad: [...DURATION.bad, '0', '0s'] },
  keepAliveTimeout: { standard: undefined, ...DURATION, bad: [...DURATION.bad, '0'] },
  fetchTimeout: { standard: 8_000, ...DURATION, bad: [...DURATION.bad, '0'] },
  shutdownDelay: { standard: 0, ...DURATION },
  shutdownTimeout: { standard: 8_000, ...DURATION, bad: [...DURATION.bad, '0'] },
  bodyLimit: { standard: MIB, ...BYTES, bad: [...BYTES.bad, '0', '0.0MiB'] },
  pageCacheBytes: { standard: 64 * MIB, ...BYTES },
  spoolMaxBytes: { standard: 256 * MIB, good: BYTES.good, bad: [...BYTES.bad, '0'], takes: BYTES.takes },
  spoolMaxAge: {
    standard: 3 * 86_400_000,
    good: [
      ['12h', 12 * 3_600_000],
      ['30d', 30 * 86_400_000]
    ],
    bad: ['0', '-1d', '3 weeks', '3D', 'd'],
    takes: /an age such as 12h or 3d|more than 0/
  },
  csp: {
    standard: undefined,
    good: [['img-src https://cdn.example', { 'img-src': ['https://cdn.example'] }]],
    bad: ['image-src https://cdn.example', 'img-src a,b', 'script-src self', "img-src 'none' a.example"],
    takes: /directives of a content security policy|sources without|in single quotes: 'self', not self|'none' alone/
  },
  metricsToken: secret(16),
  maxEventLoopDelay: { standard: 500, ...DURATION },
  lab: {
    standard: true,
    good: [
      ['0', false],
      ['on', true],
      ['No', false]
    ],
    bad: ['maybe', '2'],
    takes: 'true or false'
  }
}

t.test('every setting has a case', async (t) => {
  t.same(
    Object.keys(SETTINGS).filter((name) => !(name in CASES)),
    []
  )
  t.ok(Object.isFrozen(readConfig({})))
})

for (const [name, { standard, good, bad, takes = /./ }] of Object.entries(CASES) as Array<[Name, Case]>) {
  const { variable } = SETTINGS[name]
  const isSecret = 'secret' in SETTINGS[name]

  t.test(`${variable} has its default, accepts valid values, and refuses other values by name`, async (t) => {
    for (const empty of [undefined, '', '  ']) t.same(readConfig({ [variable]: empty })[name], standard)
    for (const [text, value] of good) t.same(readConfig({ [variable]: text })[name], value, text)
    for (const text of bad) {
      const { code, message } = refusalOf({ [variable]: text })
      t.equal(code, 'APP_CONFIG_INVALID')
      t.ok(message.startsWith(isSecret ? `${variable}: expected ` : `${variable}=${text}: expected `), message)
      t.match(message, takes)
      if (isSecret) t.notMatch(message, text)
    }
  })
}

t.test('says how to encode a password with characters that end the host of a URL', async (t) => {
  for (const [name, scheme] of [
    ['DATABASE_URL', 'postgresql'],
    ['REDIS_URL', 'redis'],
    ['INBOX_SMTP_URL', 'smtps']
  ] as const) {
    for (const password of ['a/b', 'a?b', 'a#b'])
      t.match(
        refusalOf({ [name]: `${scheme}://me:${password}@host` }).message,
        '%2F for a slash, %3F for ? and %23 for #'
      )
    const encoded = `${scheme}://me:a%2Fb%3F%23@host`
    t.ok(Object.values(readConfig({ [name]: encoded })).includes(encoded))
  }
})

t.test('reports all problems at once, one line each', async (t) => {
  const { message } = refusalOf({ PORT: 'x', LAB: 'x', SESSION_SECRET: 'hush' })
  t.equal(message.split('\n').length, 3)
  t.notMatch(message, 'hush')
})

t.test('the application is local if HOST and BASE_URL are this machine', async (t) => {
  const isLocal = (env: Record<string, string>) => readConfig(env).local
  for (const HOST of ['localhost', 'app.localhost', '127.0.0.1', '127.9.8.7', '::1'])
    t.equal(isLocal({ HOST }), true, HOST)
  for (const HOST of ['0.0.0.0', '::', 'app.example', '10.0.0.1', 'localhost.evil.example', '127.0.0.1.evil.example'])
    t.equal(isLocal({ HOST }), false, HOST)
  t.equal(isLocal({ BASE_URL: 'http://localhost:3000' }), true)
  t.equal(isLocal({ BASE_URL: 'http://[::1]:3000' }), true)
  t.equal(isLocal({ BASE_URL: 'https://app.example' }), false)
  t.equal(isLocal({ HOST: '0.0.0.0', BASE_URL: 'http://localhost:3000' }), false)
  t.equal(isLocal({ TRUST_PROXY: 'loopback' }), false)
  t.equal(isLocal({ TRUST_PROXY: 'false' }), true)
  t.equal(isLocal({ TRUST_PROXY: 'loopback', BASE_URL: 'https://localhost' }), true)
})

t.test('warns of a missing BASE_URL, unless the application is local', async (t) => {
  const warningsOf = (env: Record<string, string>) => readConfig(env).warnings
  t.match(warningsOf({ HOST: '0.0.0.0' }), [/^BASE_URL is not set/])
  t.match(warningsOf({ TRUST_PROXY: 'loopback' }), [/^BASE_URL is not set/])
  t.same(warningsOf({ HOST: '0.0.0.0', BASE_URL: 'https://app.example' }), [])
  t.same(warningsOf({}), [])
})

t.test('the lab and its sign-in page are on if the application is local, unless LAB is set', async (t) => {
  const labOf = (env: Record<string, string>) => {
    const { lab, signInPath } = readConfig(env)
    return [lab, signInPath]
  }
  t.same(labOf({}), [true, '/lab/sign-in'])
  t.same(labOf({ LAB: 'off' }), [false, undefined])
  t.same(labOf({ HOST: '0.0.0.0' }), [false, undefined])
  t.same(labOf({ HOST: '0.0.0.0', LAB: 'on' }), [true, '/lab/sign-in'])
  t.same(labOf({ LAB: 'off', SIGN_IN_PATH: '/in' }), [false, '/in'])
})

t.test('only a name one edit away from a setting gives a warning', async (t) => {
  const meant = (name: string) =>
    readConfig({ [name]: 'x' }).warnings.map((text) => /did you mean (\w+)\?/.exec(text)?.[1])
  for (const [name, setting] of [
    ['LOG_LEVL', 'LOG_LEVEL'],
    ['LOG_LEVELL', 'LOG_LEVEL'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['LOG-LEVEL', 'LOG_LEVEL'],
    ['SESION_SECRET', 'SESSION_SECRET'],
    ['SESSION_SERCET', 'SESSION_SECRET'],
    ['BASE_URI', 'BASE_URL'],
    ['RELEAS', 'RELEASE'],
    ['XRELEASE', 'RELEASE']
  ] as const)
    t.same(meant(name), [setting], name)
  for (const { variable } of Object.values(SETTINGS)) t.same(readConfig({ [variable]: '' }).warnings, [], variable)
  for (const name of `PATH HOME HOSTNAME HOSTTYPE PWD OLDPWD USER SHELL SHLVL TERM LANG LC_ALL TZ _ EDITOR PAGER TMPDIR LOGNAME
    MAIL DISPLAY XDG_DATA_DIRS XDG_DATA_HOME XDG_CONFIG_DIRS SSH_AUTH_SOCK NODE_ENV NODE_OPTIONS NODE_PATH INIT_CWD CI DEBUG
    POST COST HOSTS PORTS LAP CPP npm_config_cache npm_lifecycle_event npm_package_version log_level SECRET SESSION
    LOG_FORMAT HTTP_PROXY HTTPS_PROXY NO_PROXY DATA BASE PROXY KUBERNETES_SERVICE_HOST
    KUBERNETES_PORT OTEL_EXPORTER_OTLP_ENDPOINT SENTRY_RELEASE SENTRY_ENVIRONMENT VITE_BASE_URL AWS_REGION
    DATA_DIRECTORY GIT_DIR APP_RELEASE RENDER RENDER_SERVICE_ID FETCH TIMEOUT TOKEN`.split(/\s+/))
    t.same(meant(name), [], name)
  t.notMatch(readConfig({ SESION_SECRET: 'hush' }).warnings, /hush/, 'the warning does not have the value')
})

t.test('NODE_ENV has no effect, and the browser receives only the public values', async (t) => {
  t.same(readConfig({ NODE_ENV: 'development' }), readConfig({}))
  t.same(publicConfig(readConfig({ SESSION_SECRET: 's'.repeat(40) })), { environment: 'production' })
})

function refusalOf(env: Record<string, string>): { code: string; message: string } {
  try {
    readConfig(env) satisfies Config
  } catch (error) {
    return error as Error & { code: string }
  }
  throw new Error(`accepted: ${JSON.stringify(env)}`)
}

t.test('in development, the deployment is called so, unless the environment or .env names it', (t) => {
  const folder = process.cwd()
  const inherited = process.env.ENVIRONMENT
  t.teardown(() => {
    process.chdir(folder)
    if (inherited === undefined) delete process.env.ENVIRONMENT
    else process.env.ENVIRONMENT = inherited
  })
  process.chdir(t.testdir({ own: { '.env': 'ENVIRONMENT=laptop' } }))
  delete process.env.ENVIRONMENT
  t.equal(loadConfig().environment, 'production')
  t.equal(loadConfig({ dev: true }).environment, 'development')
  process.env.ENVIRONMENT = 'staging'
  t.equal(loadConfig({ dev: true }).environment, 'staging')
  delete process.env.ENVIRONMENT
  process.chdir('own')
  t.equal(loadConfig({ dev: true }).environment, 'laptop')
  t.end()
})
