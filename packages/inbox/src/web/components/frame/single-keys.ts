const SETTING = 'inbox:single-keys'

const listeners = new Set<() => void>()

export function watchSingleKeys(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Whether keys without Ctrl or ⌘ are shortcuts. People who dictate turn them off: each spoken word would be a row of
 * them (WCAG 2.1.4). Stored for this browser.
 */
export function hasSingleKeys(): boolean {
  try {
    return localStorage.getItem(SETTING) !== 'off'
  } catch {
    return true
  }
}

export function setSingleKeys(isOn: boolean): void {
  try {
    if (isOn) localStorage.removeItem(SETTING)
    else localStorage.setItem(SETTING, 'off')
  } catch {
    // The browser stores nothing, so the keys stay on.
  }
  for (const listener of listeners) listener()
}
