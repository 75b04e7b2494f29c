/** Returns a layout's name: its path below `layouts/`, without the ending. */
export const layoutName = (id: string): string => id.slice('/layouts/'.length, -'.tsx'.length)

/** Returns the name of a layout that a page or layout of a root names: it is in the same root. */
export const layoutIn = (prefix: string, named: string): string => `${prefix}/${named}`.slice(1)

/** Returns the name of the layout of a page that names none: `default` of its root, or else the application's. */
export const defaultLayout = (prefix: string, exists: (name: string) => boolean): string | undefined =>
  [layoutIn(prefix, 'default'), 'default'].find(exists)
