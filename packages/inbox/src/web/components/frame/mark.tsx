/** Logo: the lines of a ship's hull seen from its bow. Has the colour of the surrounding text. */
export function Mark() {
  return (
    <svg
      width={20}
      height={20}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d="M2.5 5h15M2.5 5c0 6.3 2.7 10.8 7.5 10.8s7.5-4.5 7.5-10.8M6.4 5c0 4.5 1.2 8 3.6 10.8 2.4-2.8 3.6-6.3 3.6-10.8" />
    </svg>
  )
}
