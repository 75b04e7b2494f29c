import { createDataFolder, type Built } from '../servers.ts'

/** Returns a contender with other environment variables, and with a new data folder that all of its processes use. */
export function withEnv({ name, launch }: Built, env: Record<string, string>): Built {
  return { name, launch: { ...launch, env: { ...launch.env, DATA_DIR: createDataFolder(), ...env } } }
}
