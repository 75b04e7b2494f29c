/** Error that the person who runs a command, or starts the server, can fix. Its message says how. */
export class CommandFailed extends Error {
  override name = 'CommandFailed'
}
