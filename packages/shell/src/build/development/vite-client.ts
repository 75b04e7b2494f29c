import type { Plugin } from 'vite'

/**
 * Appends code to Vite's client, which a tab in development loads first. The code can use the client's own functions,
 * and listens before the client's socket opens.
 */
export const appendToViteClient = (code: string): NonNullable<Plugin['transform']> => ({
  filter: { id: /\/vite\/dist\/client\/client\.mjs$/ },
  handler: (client) => ({ code: `${client}\n${code}`, map: null })
})
