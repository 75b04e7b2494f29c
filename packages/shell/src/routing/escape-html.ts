const SPECIAL = /[&<>"']/g
const HAS_SPECIAL = /[&<>"']/
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for an element and for a quoted attribute. */
export function escapeHtml(text: string): string {
  // replace() with a function costs several times as much as test(), and most text needs no escaping.
  return HAS_SPECIAL.test(text) ? text.replace(SPECIAL, (character) => ENTITIES[character]!) : text
}
