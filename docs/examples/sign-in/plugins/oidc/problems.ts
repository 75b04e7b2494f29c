/** Reason why nobody was signed in: status and sentence for the visitor. */
export const OIDC_PROBLEMS = {
  SIGN_IN_STATE: [
    400,
    'This sign-in was not begun in this browser, was already used, or took longer than ten minutes.'
  ],
  SIGN_IN_CODE: [400, 'The sign-in service did not accept this sign-in: it was already used, or it has expired.'],
  SIGN_IN_DENIED: [403, 'The sign-in was cancelled.'],
  SIGN_IN_ISSUER: [502, 'The answer did not come from the configured sign-in service.'],
  SIGN_IN_TOKEN: [502, 'The answer of the sign-in service is not valid.'],
  SIGN_IN_CLOCK: [502, 'The clocks of this server and of the sign-in service differ.'],
  SIGN_IN_PROVIDER: [503, 'The sign-in service cannot be reached. Try again in a moment.']
} as const satisfies Record<string, [status: number, message: string]>

export type OidcCode = keyof typeof OIDC_PROBLEMS
