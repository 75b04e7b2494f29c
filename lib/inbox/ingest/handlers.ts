import type { ItemHandler } from './context.ts'

/** What stores an item, by its type. */
export const handlers: Partial<Record<string, ItemHandler>> = {}

/** What stores an item of any other type. */
export const otherwise: ItemHandler | undefined = undefined as ItemHandler | undefined
