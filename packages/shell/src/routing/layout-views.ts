/** Exports of a layout that are shown in place of the pages below it. */
export const LAYOUT_VIEWS = ['ErrorView', 'NotFoundView', 'LoadingView'] as const

export type LayoutView = (typeof LAYOUT_VIEWS)[number]
