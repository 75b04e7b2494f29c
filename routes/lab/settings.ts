import { setting, SHELL_SETTINGS, toFlag } from '@hull/shell'

/** Settings of the lab, and the setting whose default the lab changes. */
export const LAB_SETTINGS = {
  signInPath: { ...SHELL_SETTINGS.signInPath, otherwise: '/lab/sign-in if the lab is on' },
  lab: setting({
    variable: 'LAB',
    otherwise: 'on if HOST and BASE_URL are this machine',
    meaning: 'Whether the pages under /lab are served.',
    parse: toFlag
  })
}
