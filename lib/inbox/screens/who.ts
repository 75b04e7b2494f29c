export { requireAdmin, requirePerson } from '../access/guard.ts'
