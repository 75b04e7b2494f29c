/** Nothing of its own on the network, nothing on a screen. */
export const CHROMIUM_ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync'
]

/** HULL_CHROMIUM, which the set-up of tests and bench has filled in; else Debian's. */
export const chromiumPath = () => process.env['HULL_CHROMIUM'] ?? '/usr/bin/chromium'
