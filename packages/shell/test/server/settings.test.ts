import t from 'tap'
import { SETTINGS } from '../../../../config.ts'
import { INBOX_SETTINGS } from '../../../inbox/src/settings.ts'
import { readSettings, type Setting } from '../../../common/src/settings/settings.ts'
import { SHELL_SETTINGS } from '../../src/config/settings.ts'
import { MONITORING_SETTINGS } from '../../../monitoring/src/settings.ts'

const PACKAGES: Record<string, Record<string, Setting<unknown>>> = {
  shell: SHELL_SETTINGS,
  monitoring: MONITORING_SETTINGS,
  inbox: INBOX_SETTINGS
}

t.test('each package lists its own settings, and no other package has them', async (t) => {
  const names = Object.values(PACKAGES).flatMap((settings) => Object.values(settings).map(({ variable }) => variable))
  t.equal(new Set(names).size, names.length)
  t.same(
    Object.values<{ variable: string }>(SETTINGS)
      .map(({ variable }) => variable)
      .sort(),
    [...names, 'LAB'].sort()
  )
})

t.test('the settings of one package can be read alone', async (t) => {
  const { values, warnings } = readSettings(MONITORING_SETTINGS, { SEND_PI: 'on', SPOOL_MAX_AGE: '1h', PORT: 'none' })
  t.match(values, { sendPii: false, spoolMaxAge: 3_600_000, sentryDsn: undefined })
  t.match(warnings, [/SEND_PII/])
  t.throws(() => readSettings(MONITORING_SETTINGS, { SENTRY_DSN: 'nonsense' }), {
    code: 'APP_CONFIG_INVALID',
    message: /SENTRY_DSN=nonsense/
  })
})
