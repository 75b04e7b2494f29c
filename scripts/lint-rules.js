import { relative, resolve, sep } from 'node:path'

/* The project's own rules for oxlint, as an ESLint plugin. */

/** @typedef {any} Node of the syntax tree, as ESTree has them */
/** @typedef {any} Context of ESLint */

const TIMERS = new Set(['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'])
const LISTENERS = new Set(['on', 'once', 'addListener', 'prependListener', 'addEventListener'])

/** Functions that cannot throw: the resolving functions of a promise. */
const SAFE_NAMES = new Set(['resolve', 'reject'])

/** An exception in a callback of the event loop would end the process: see packages/common/src/safe-callback.ts. */
const safeCallbacks = {
  /** @param {Context} context */
  create(context) {
    return {
      /** @param {Node} node */
      CallExpression(node) {
        const callback = callbackOf(node)
        if (callback && !isSafe(callback, context))
          context.report({
            node: callback,
            message:
              'Wrap this callback in safeCallback() of packages/common/src/safe-callback.ts: an error that it throws would end the process.'
          })
      }
    }
  }
}

/** @param {Node} call */
function callbackOf({ callee, arguments: args }) {
  if (callee.type === 'Identifier' && TIMERS.has(callee.name)) return args[0]
  const isListener = callee.type === 'MemberExpression' && !callee.computed && LISTENERS.has(callee.property.name)
  return isListener && args.length > 1 ? args[1] : undefined
}

/**
 * @param {Node} node
 * @param {Context} context
 * @returns {boolean}
 */
function isSafe(node, context) {
  if (node.type === 'CallExpression') return node.callee.name === 'safeCallback'
  if (node.type === 'MemberExpression') return isSafeField(node)
  if (node.type === 'Identifier') return SAFE_NAMES.has(node.name) || isDeclaredSafe(node, context)
  if (node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression') return doesNothingElse(node.body)
  return false
}

/**
 * Whether `this.x` is a field of the class whose value is a safe callback.
 * @param {Node} member
 * @returns {boolean}
 */
function isSafeField({ object, property, parent }) {
  if (object.type !== 'ThisExpression') return false
  let body = parent
  while (body && body.type !== 'ClassBody') body = body.parent
  return body?.body.some(
    (/** @type {Node} */ field) => field.key?.name === property.name && field.value?.callee?.name === 'safeCallback'
  )
}

/**
 * Whether a function is empty, or only settles a promise.
 * @param {Node} body
 */
function doesNothingElse(body) {
  if (body.type !== 'BlockStatement') return settles(body)
  return body.body.length === 0 || (body.body.length === 1 && settles(body.body[0].expression))
}

/** @param {Node} node */
const settles = (node) => node?.type === 'CallExpression' && SAFE_NAMES.has(node.callee.name)

/**
 * @param {Node} node
 * @param {Context} context
 * @returns {boolean}
 */
function isDeclaredSafe(node, context) {
  for (let scope = context.sourceCode.getScope(node); scope; scope = scope.upper) {
    const variable = scope.set.get(node.name)
    if (variable)
      return variable.defs.some(
        (/** @type {Node} */ definition) => definition.node.init && isSafe(definition.node.init, context)
      )
  }
  return false
}

/**
 * Packages that each package may import. Files outside of the packages belong to the application.
 * @type {Record<string, string[]>}
 */
const MAY_IMPORT = {
  application: ['shell', 'monitoring', 'inbox'],
  inbox: ['common', 'shell', 'monitoring'],
  monitoring: ['common'],
  shell: ['common'],
  common: []
}

/** npm packages that a package must not import, except for types. */
const WITHOUT = {
  common: /^(fastify|react|react-dom)(\/|$)/,
  monitoring: /^(react|react-dom)(\/|$)/
}

/**
 * Public entries of the packages: one for the server, one for the browser and one for Vite; and of monitoring, the
 * envelope format for worker threads and the delivery for commands. Only Hull's packages use `@hull/common`, whose
 * files they import directly.
 */
const ENTRIES = new Set(['', 'client', 'vite', 'envelope', 'delivery'])

/** Folders whose code runs in the browser, and the other folders from which they may import values. */
const BROWSER_FOLDERS = [
  { folder: 'packages/shell/src/client/', mayImport: ['packages/shell/src/routing/'] },
  { folder: 'packages/shell/src/routing/', mayImport: ['packages/shell/src/client/'] },
  { folder: 'packages/monitoring/src/browser-sdk/', mayImport: [] },
  { folder: 'packages/inbox/src/web/components/', mayImport: ['packages/inbox/src/web/'] }
]

/** Folders whose files use each other's Fastify decorators and `dependencies`, and do not import each other. */
const APART = [/^plugins\//, /^packages\/\w+\/src\/plugins\//, /^routes\//]

/** Import directions; docs/architecture.md has a drawing. */
const directions = {
  /** @param {Context} context */
  create(context) {
    const file = toProject(context.cwd, context.filename)
    /** @param {Node} node with a source */
    const check = (node) => {
      if (typeof node.source?.value !== 'string') return
      const isType = node.importKind === 'type' || node.exportKind === 'type'
      const problem = findProblem(context.cwd, file, node.source.value, isType)
      if (problem) context.report({ node: node.source, message: problem })
    }
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check
    }
  }
}

/**
 * @param {string} root
 * @param {string} path
 */
const toProject = (root, path) => relative(root, path).split(sep).join('/')

/** @param {string} file relative to the project's folder */
const packageOf = (file) => /^packages\/([\w-]+)\//.exec(file)?.[1] ?? 'application'

/**
 * @param {string} root
 * @param {string} file relative to the project's folder
 * @param {string} source the imported specifier
 * @param {boolean} isType
 * @returns {string | undefined}
 */
function findProblem(root, file, source, isType) {
  const own = packageOf(file)
  const [, imported, entry = ''] = /^@hull\/([\w-]+)(?:\/(.*))?$/.exec(source) ?? []
  if (imported !== undefined) return findPackageProblem(own, imported, entry)
  if (source.startsWith('.')) {
    const target = toProject(root, resolve(root, file, '..', source))
    return packageOf(target) === own
      ? findFolderProblem(file, target, isType)
      : `${own} must not import files of ${packageOf(target)}: import a package by its name, such as @hull/shell. A package must not import the application.`
  }
  if (!isType && WITHOUT[/** @type {keyof typeof WITHOUT} */ (own)]?.test(source))
    return `${own} must not import ${source}.`
  const isBrowserCode = BROWSER_FOLDERS.some(({ folder }) => file.startsWith(folder))
  if (isBrowserCode && !isType && source.startsWith('node:')) return `This runs in the browser, which has no ${source}.`
  return undefined
}

/**
 * @param {string} own
 * @param {string} imported
 * @param {string} entry
 */
function findPackageProblem(own, imported, entry) {
  if (own === imported) return 'A package must import its own files by their path.'
  if (!MAY_IMPORT[own]?.includes(imported)) return `${own} must not import ${imported}: see docs/architecture.md.`
  if (imported !== 'common' && !ENTRIES.has(entry))
    return `The internals of @hull/${imported} may change in any version: import from its entry.`
  return undefined
}

/**
 * @param {string} file
 * @param {string} target
 * @param {boolean} isType
 */
function findFolderProblem(file, target, isType) {
  if (isType) return undefined
  const apart = APART.find((folder) => folder.test(file) && folder.test(target))
  if (apart && entryIn(apart, file) !== entryIn(apart, target))
    return 'Plugins and routes must not import each other: use decorators and `dependencies`.'
  const browser = BROWSER_FOLDERS.find(({ folder }) => file.startsWith(folder))
  if (browser && ![browser.folder, ...browser.mayImport].some((folder) => target.startsWith(folder)))
    return `This runs in the browser: it may import only types of ${target}.`
  return undefined
}

/**
 * Name of the entry of a folder that is a file or contains it, without `.ts`.
 * @param {RegExp} folder
 * @param {string} file
 */
const entryIn = (folder, file) => file.replace(folder, '').replace(/\.ts$/, '').split('/')[0]

export default { meta: { name: 'hull' }, rules: { 'safe-callbacks': safeCallbacks, directions } }
