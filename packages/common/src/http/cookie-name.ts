/**
 * Returns a cookie's name with the prefix that protects it most (RFC 6265bis §4.1.3). `__Host-` needs the path `/`, so
 * that an application with a base path has `__Secure-`.
 */
export const toCookieName = (name: string, { https, basePath }: { https: boolean; basePath: string }): string =>
  !https ? name : `${basePath === '' ? '__Host-' : '__Secure-'}${name}`
