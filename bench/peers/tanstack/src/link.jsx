import { Link as RouterLink } from '@tanstack/react-router'

export function Link ({ href, ...props }) {
  return <RouterLink to={href} {...props} />
}
