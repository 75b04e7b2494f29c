let renders = 0

/** How often it was called in this process. */
export const countRender = (): number => ++renders
