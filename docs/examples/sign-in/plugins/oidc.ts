import { createOidc, type Oidc, type OidcOptions, type PendingSignIn, type RoleMapping } from '@hull/shell'
import fp from 'fastify-plugin'
import * as openid from 'openid-client'

declare module 'fastify' {
  interface FastifyInstance {
    oidc: Oidc & Required<Pick<OidcPluginOptions, 'roles'>>
  }
}

declare module '@hull/shell' {
  interface SessionData {
    /** Sign-ins that have begun, one for each tab. */
    pendingSignIns?: PendingSignIn[]
  }
}

export interface OidcPluginOptions extends OidcOptions {
  /** Roles of a person, by the groups that the provider states. @default no roles */
  roles?: RoleMapping
}

/** Signs people in at a provider. */
export default fp<OidcPluginOptions>(
  async function oidc(app, { roles = { claim: 'groups', roles: {} }, ...options }) {
    const client = createOidc(openid, options)
    app.decorate('oidc', { ...client, roles })
    app.signIns.leave = async ({ idToken }, origin) => {
      if (idToken === undefined) return undefined
      try {
        return await client.signOutUrl(`${origin}${app.basePath}/`, idToken)
      } catch (error) {
        app.log.warn({ reason: (error as Error).message }, 'signed out here, but not at the provider')
        return undefined
      }
    }
  },
  { name: 'oidc', fastify: '5.x', dependencies: ['sign-ins'] }
)
