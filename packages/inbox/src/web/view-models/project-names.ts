/** Names of the projects of a list, if there are several: its rows then name their project. */
export const toNames = (projects: readonly { id: number; name: string }[]): { id: number; name: string }[] =>
  projects.length > 1 ? projects.map(({ id, name }) => ({ id, name })) : []
