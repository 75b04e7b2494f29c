/** Flags for a Chromium without a window that sends no network requests of its own. */
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

/** Path of the browser: HULL_CHROMIUM, which scripts/run.js sets for tests and bench, or Debian's Chromium. */
export const chromiumPath = () => process.env['HULL_CHROMIUM'] ?? '/usr/bin/chromium'
