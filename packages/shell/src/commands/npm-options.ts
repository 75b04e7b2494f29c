/**
 * Refuses options of a command that npm took, because no `--` is before them: the command would do something else.
 * @param command a script of the application's package.json
 * @param options without dashes, such as `json` or `set=…`
 * @throws Error that says how to write the command
 */
export function refuseTaken(command: string, options: string[]): void {
  // oxlint-disable-next-line node/no-process-env -- npm passes them there
  const taken = options.find((option) => process.env[`npm_config_${option.replace(/=.*/, '')}`] !== undefined)
  if (taken === undefined) return
  const [name] = taken.split('=')
  throw new Error(
    `npm took --${name} for an option of its own. Write -- before the options: npm run ${command} -- --${taken}`
  )
}
