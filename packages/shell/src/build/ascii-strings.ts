import MagicString from 'magic-string'
import { parseAst, Visitor, type Plugin } from 'vite'

/** A character beyond ASCII. A backslash in front would belong to the character, so such a rare one stays as it is. */
const BEYOND_ASCII = /(?<!\\)[^\0-\x7f]/g

/**
 * Vite plugin for the server's bundles that writes characters beyond ASCII in strings and regular expressions as escapes. V8
 * keeps a source with a character beyond Latin-1 in two bytes a character, in each thread that loads it: one `…` doubles
 * the memory of a bundle. Tagged templates stay as they are, because their functions can see how they were written.
 */
export const asciiStrings: Plugin = {
  name: 'hull:ascii-strings',
  apply: 'build',
  applyToEnvironment: ({ name }) => name === 'ssr',
  // Otherwise the bundler prints the code again, without the escapes.
  outputOptions: (options) => ({ ...options, minify: false }),
  renderChunk(code) {
    if (code.search(BEYOND_ASCII) === -1) return null
    const output = new MagicString(code)
    const tagged = new Set<number>()
    const escape = ({ start, end }: { start: number; end: number }) => {
      const source = code.slice(start, end)
      const escaped = source.replaceAll(BEYOND_ASCII, escapeCharacter)
      if (escaped !== source) output.overwrite(start, end, escaped)
    }
    new Visitor({
      TaggedTemplateExpression: ({ quasi }) => quasi.quasis.forEach(({ start }) => tagged.add(start)),
      TemplateElement: (element) => {
        if (!tagged.has(element.start)) escape(element)
      },
      Literal: escape
    }).visit(parseAst(code))
    return { code: output.toString(), map: output.generateMap({ hires: 'boundary' }) }
  }
}

const escapeCharacter = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
