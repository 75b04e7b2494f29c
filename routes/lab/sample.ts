/** Pages of the lab to which an empty inbox links. */
export const LAB_SAMPLE = {
  error: { href: '/lab/error/click', label: 'Cause an error in the lab' },
  page: { href: '/lab', label: 'Open a page of the lab' }
}
