import type { BrowserShell, NoticeName } from '@hull/common/browser-shell.ts'
import { callApplication } from '../events.ts'

/** The shell's own texts. */
const NOTICES: Record<NoticeName, string> = {
  'form-unsent': 'The form could not be sent. Nothing you typed is lost: check the connection and try again.',
  'form-failed': 'The server failed while it processed the form. Nothing you typed is lost.',
  'form-refused': 'The server could not process the form. Nothing you typed is lost: try again in a moment.',
  'form-unknown': 'The answer cannot be shown here. Reload the page to see whether the form was accepted.',
  'form-outdated': 'This page is out of date. Reload it and send the form again.',
  'page-outdated': 'This page is out of date. Reload it to see what is new.',
  'signed-out': 'You are not signed in. Nothing you typed is lost: sign in, then send the form again.',
  'sign-in': 'Sign in (new tab)'
}

let toText: Parameters<BrowserShell['setNotices']>[0] = () => undefined

/** Sets the function that replaces texts. */
export const setNotices: BrowserShell['setNotices'] = (replaced) => {
  toText = replaced
}

/** Returns the text of a notice: the application's, or else the shell's own. */
export const toNotice = (name: NoticeName): string => callApplication(() => toText(name)) ?? NOTICES[name]
