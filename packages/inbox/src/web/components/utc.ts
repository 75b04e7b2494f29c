/** `2026-03-01 09:30:05 UTC`, the same on both sides. */
export const formatUtc = (date: Date) => `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`
