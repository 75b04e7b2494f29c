/*
 * Rules of this project's own for oxlint, as an ESLint plugin.
 */

/** @typedef {any} Node of the syntax tree, as ESTree has them */
/** @typedef {any} Context of ESLint */

const TIMERS = new Set(['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'])
const LISTENERS = new Set(['on', 'once', 'addListener', 'prependListener', 'addEventListener'])

/** Functions that cannot throw: the ones of a promise. */
const SAFE_NAMES = new Set(['resolve', 'reject'])

/**
 * A callback that the event loop calls ends the process when it throws: see packages/common/src/safe-callback.ts.
 */
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
              'Wrap this callback in safeCallback() of packages/common/src/safe-callback.ts: what it throws would end the process.'
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
 * Whether `this.x` is a field of the class that is set to a safe callback.
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
 * Whether a function is empty, or settles a promise and no more.
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

export default { meta: { name: 'hull' }, rules: { 'safe-callbacks': safeCallbacks } }
