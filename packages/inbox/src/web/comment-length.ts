/** Maximum characters of a comment. A guess: five screens of text. */
export const MAX_COMMENT_LENGTH = 10_000
