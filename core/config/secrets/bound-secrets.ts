// A credential is bound to the address it was entered for. If a save changes the address without a new credential, the
// stored one is cleared; otherwise changing an address would send the credential to another host.
import type { ConfigDocument } from '../contract.ts'
import { formatPath, isObject, valueAt, type Path } from '../document/document.ts'
import { alternatives, schemasBelow, type JsonSchema } from '../document/schema-walk.ts'
import type { Section } from '../view.ts'

/**
 * Clears secrets in `after` whose address changed, and returns their paths.
 * @param shownBefore the document with defaults: an address may be a default
 */
export function clearBoundSecrets(
  sections: readonly Section[],
  before: Readonly<ConfigDocument>,
  shownBefore: Readonly<ConfigDocument>,
  after: ConfigDocument,
  shownAfter: Readonly<ConfigDocument>,
): readonly string[] {
  const cleared: string[] = []
  for (const { path, schema } of sections) walk(schema as JsonSchema, path, path)
  return cleared

  function walk(schema: JsonSchema, was: Path, is: Path): void {
    const oldValue = valueAt(shownBefore, was)
    const newValue = valueAt(shownAfter, is)
    if (Array.isArray(newValue)) return walkList(schema, was, is)
    if (!isObject(oldValue) || !isObject(newValue)) return
    for (const [secret, address] of boundKeys(schema)) {
      const oldOrigin = originOf(oldValue[address])
      if (oldOrigin === '' || oldOrigin === originOf(newValue[address])) continue
      const stored = valueAt(before, [...was, secret])
      const holder = valueAt(after, is)
      if (!isObject(holder) || typeof stored !== 'string' || stored === '' || holder[secret] !== stored) continue
      holder[secret] = ''
      cleared.push(formatPath([...is, secret]))
    }
    for (const key of Object.keys(newValue)) {
      for (const below of schemasBelow(schema, key)) walk(below, [...was, key], [...is, key])
    }
  }

  // Elements match by id, or by position without ids.
  function walkList(schema: JsonSchema, was: Path, is: Path): void {
    const old = valueAt(shownBefore, was)
    if (!Array.isArray(old)) return
    for (const index of (valueAt(shownAfter, is) as unknown[]).keys()) {
      const id = valueAt(shownAfter, [...is, index, 'id'])
      const place = id === undefined ? index : old.findIndex((item) => valueAt(item, ['id']) === id)
      for (const below of schemasBelow(schema, index)) walk(below, [...was, place], [...is, index])
    }
  }
}

function boundKeys(schema: JsonSchema): readonly (readonly [secret: string, address: string])[] {
  return alternatives(schema)
    .flatMap((one) => Object.entries(one.properties ?? {}))
    .flatMap(([key, property]) => (property.boundTo === undefined ? [] : [[key, property.boundTo] as const]))
}

/** Scheme, host and port; `''` without an address. */
function originOf(address: unknown): string {
  const text = typeof address === 'string' ? address.trim() : ''
  if (text === '') return ''
  const url = URL.parse(text.includes('://') ? text : `http://${text}`)
  return url === null || url.origin === 'null' ? text : url.origin
}
