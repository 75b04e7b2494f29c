/** Packages of an application, each after its dependencies. */
export const PACKAGES = ['common', 'shell', 'monitoring', 'inbox'] as const
export type PackageName = (typeof PACKAGES)[number]
