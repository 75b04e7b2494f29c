/** The packages that an application stands on, each after those that it needs. */
export const PACKAGES = ['common', 'shell', 'monitoring', 'inbox'] as const
export type PackageName = (typeof PACKAGES)[number]
