// Checks for plain data, the only values that may cross the SDK: unchanged by a structured clone or JSON.

/** The path of the first value that is not plain data; undefined if there is none. */
export function oddValue(value: unknown, path = 'it'): string | undefined {
  if (value === null || ['string', 'boolean', 'undefined'].includes(typeof value)) return undefined
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `${path} is ${value}`
  if (typeof value !== 'object') return `${path} is a ${typeof value}`
  const prototype = Object.getPrototypeOf(value) as object | null
  // Data of another realm has another Object.prototype.
  const name = prototype === null ? 'Object' : String(prototype.constructor?.name)
  if (name !== 'Object' && name !== 'Array') return `${path} is a ${name}`
  for (const [key, inner] of Object.entries(value)) {
    const odd = oddValue(inner, `${path}.${key}`)
    if (odd !== undefined) return odd
  }
  return undefined
}
