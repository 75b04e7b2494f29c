import { createDataFolder, type Built } from '../servers.ts'

/** The same contender with other settings, and a data folder of its own that each of its processes uses. */
export function withEnv({ name, launch }: Built, env: Record<string, string>): Built {
  return { name, launch: { ...launch, env: { ...launch.env, DATA_DIR: createDataFolder(), ...env } } }
}
