import { setting, SHELL_SETTINGS, toFlag } from '@hull/shell'

/** Settings of the lab, and the one whose default it changes. */
export const LAB_SETTINGS = {
  signInPath: { ...SHELL_SETTINGS.signInPath, otherwise: '/lab/sign-in while the lab is on' },
  lab: setting({
    variable: 'LAB',
    otherwise: 'on when HOST and BASE_URL are this machine',
    meaning: 'Whether the pages under /lab are there.',
    parse: toFlag
  })
}
