/** No network requests of its own, and no window. */
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

/** HULL_CHROMIUM, set by the set-up of tests and bench, or Debian's Chromium. */
export const chromiumPath = () => process.env['HULL_CHROMIUM'] ?? '/usr/bin/chromium'
