import type { Plugin } from 'vite'

/**
 * Adds a script to the documents of development that warns, in the browser's console, of everything that the content
 * security policy blocks, and names the setting or the change that helps. The script comes first: attributes in the
 * markup are blocked before any module runs.
 */
export function policyWarning(): Plugin {
  return {
    name: 'hull-policy-warning',
    apply: 'serve',
    transformIndexHtml: () => [{ tag: 'script', injectTo: 'head-prepend', children: `(${warnOfViolations})()` }]
  }
}

/** Runs in the browser, as text: it uses nothing of this module. */
function warnOfViolations() {
  const warned = new Set<string>()
  const inline: Record<string, string> = {
    'style-src-attr': `a style attribute. Use a class, or allow style attributes with the setting CSP="style-src-attr 'unsafe-inline'"`,
    'style-src-elem': 'a style element. Pass the value of useNonce() of @hull/shell/client to the library that adds it',
    'script-src-elem': 'an inline script. Import its code, or give the element nonce={useNonce()}',
    'script-src-attr': 'an attribute with script, such as onclick. Add the listener in a component'
  }
  const keywords: Record<string, string> = { eval: "'unsafe-eval'", 'wasm-eval': "'wasm-unsafe-eval'" }
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sourceFile, lineNumber }) => {
    const directive = effectiveDirective.replace('-elem', '')
    const source = keywords[blockedURI] ?? (blockedURI.includes('://') ? new URL(blockedURI).origin : `${blockedURI}:`)
    const blocked =
      inline[blockedURI === 'inline' ? effectiveDirective : ''] ??
      `${blockedURI}. If the page needs it, allow it with the setting CSP="${directive} ${source}"`
    const text = `Hull: the content security policy blocked ${blocked}.`
    if (warned.has(text)) return
    warned.add(text)
    console.warn(text, sourceFile && `${sourceFile}:${lineNumber}`)
  })
}
