/**
 * Figures that count a visitor once in a release, once in an environment and once in a project. Each visitor is counted
 * at the environment and release of the first error, so that the sum of all rows of a project has each visitor once.
 */
export default [
  ['visitors_of_release', 'release, hour'],
  ['visitor_days_of_release', 'release, hour / 24'],
  ['visitors_of_environment', 'environment, hour'],
  ['visitor_days_of_environment', 'environment, hour / 24'],
  ['visitors_of_project', 'hour'],
  ['visitor_days_of_project', 'hour / 24']
]
  .map(
    ([name, once]) => `
INSERT INTO figure_hour (project, hour, name, environment, release, quantity)
SELECT project, hour, '${name}', environment, release, count(*) FROM (
  SELECT project, hour, environment, release,
    row_number() OVER (PARTITION BY project, visitor, ${once} ORDER BY hour, environment, release) AS place
  FROM visitor_hour
) AS visits WHERE place = 1 GROUP BY project, hour, environment, release;`
  )
  .join('')
