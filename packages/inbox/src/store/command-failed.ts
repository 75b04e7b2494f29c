/** Error that the person who runs a command can fix. Its message says how. */
export class CommandFailed extends Error {
  override name = 'CommandFailed'
}
