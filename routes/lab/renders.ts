let renders = 0

/** Number of calls in this process. */
export const countRender = (): number => ++renders
