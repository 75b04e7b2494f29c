import type { Role } from '../model.ts'

export async function requirePerson(_ctx: unknown) {
  return { person: 1, name: 'Maren', role: 'admin' as Role }
}
export const requireAdmin = requirePerson
