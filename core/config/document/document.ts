// Plain JSON documents without prototypes: copying, reading by path, comparing.
import { PlayheadError } from '@playhead/sdk'
import type { ConfigDocument } from '../contract.ts'

export type Path = readonly (string | number)[]

const MAX_DEPTH = 32
const POLLUTING = new Set(['__proto__', 'constructor', 'prototype'])

export function isObject(value: unknown): value is ConfigDocument {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * A deep copy of plain JSON: objects lose their prototype, `undefined` fields are dropped. Throws PLH_INVALID for keys
 * that reach into prototypes (`invalid_key`) and for documents too deep or too large, and TypeError for anything but
 * JSON.
 * @param maxEntries total of object keys and list elements
 */
export function copy<T>(value: T, maxEntries = Infinity): T {
  let entries = 0
  return copyOne(value, 0) as T

  function copyOne(one: unknown, depth: number): unknown {
    if (one === null || typeof one === 'string' || typeof one === 'boolean') return one
    if (typeof one === 'number') {
      if (Number.isFinite(one)) return one
      throw new TypeError(`${one} has no place in a document`)
    }
    if (typeof one !== 'object') throw new TypeError(`a ${typeof one} has no place in a document`)
    if (depth >= MAX_DEPTH)
      throw refused('document_too_deep', `The document is nested more than ${MAX_DEPTH} levels deep.`)
    if (Array.isArray(one)) {
      count(one.length)
      return one.map((item) => copyOne(item, depth + 1))
    }
    const prototype: unknown = Object.getPrototypeOf(one)
    if (prototype !== null && prototype !== Object.prototype)
      throw new TypeError('only plain objects have a place in a document')
    const names = Object.keys(one)
    count(names.length)
    const target = Object.create(null) as ConfigDocument
    for (const name of names) {
      if (POLLUTING.has(name)) throw refused('invalid_key', `"${name}" is not accepted as a key.`)
      const item = (one as ConfigDocument)[name]
      if (item !== undefined) target[name] = copyOne(item, depth + 1)
    }
    return target
  }

  function count(more: number): void {
    entries += more
    if (entries > maxEntries) throw refused('document_too_large', `The document has more than ${maxEntries} entries.`)
  }
}

/** Deep freeze, in place. */
export function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    for (const item of Object.values(value)) freeze(item)
    Object.freeze(value)
  }
  return value
}

/** The value at a path, or undefined. */
export function valueAt(value: unknown, path: Path): unknown {
  let at = value
  for (const part of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined
    at = (at as Record<string | number, unknown>)[part]
  }
  return at
}

/** Sets a value at a path of object keys, creating the objects on the way. */
export function putAt(document: ConfigDocument, path: readonly string[], value: unknown): void {
  const name = path[0] as string
  if (path.length === 1) {
    document[name] = value
    return
  }
  const below = isObject(document[name]) ? document[name] : (document[name] = Object.create(null) as ConfigDocument)
  putAt(below, path.slice(1), value)
}

export function equal(a: unknown, b: unknown): boolean {
  return changedPaths(a, b).length === 0
}

/** The paths in which two documents differ. A list whose length changed is one path. */
export function changedPaths(before: unknown, after: unknown, path: Path = []): readonly Path[] {
  if (Object.is(before, after)) return []
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((item, index) => changedPaths(item, after[index], [...path, index]))
  }
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...names].flatMap((name) => changedPaths(valueAt(before, [name]), valueAt(after, [name]), [...path, name]))
  }
  return [path]
}

/** `pairs[0].id` */
export function formatPath(path: Path): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  )
}

export function isPrefix(prefix: Path, path: Path): boolean {
  return prefix.length <= path.length && prefix.every((part, index) => part === path[index])
}

/**
 * A name for a place that survives reordering: list elements are named by their `id`, or not at all. Binds a ciphertext
 * to its place.
 */
export function addressOf(document: unknown, path: Path): string {
  let at = document
  let address = ''
  for (const part of path) {
    const below = valueAt(at, [part])
    const id = typeof part === 'number' && isObject(below) && typeof below['id'] === 'string' ? below['id'] : ''
    address += `/${typeof part === 'number' ? `*${escapePart(id)}` : escapePart(part)}`
    at = below
  }
  return address
}

/** A copy with every string replaced by the result of `replace`. */
export function mapStrings<T>(value: T, replace: (text: string, path: Path) => string, path: Path = []): T {
  if (typeof value === 'string') return replace(value, path) as T
  if (Array.isArray(value)) return value.map((item, index) => mapStrings(item, replace, [...path, index])) as T
  if (!isObject(value)) return value
  const mapped = Object.create(null) as ConfigDocument
  for (const [name, item] of Object.entries(value)) mapped[name] = mapStrings(item, replace, [...path, name])
  return mapped as T
}

function refused(wire: string, message: string): PlayheadError {
  return new PlayheadError('PLH_INVALID', message, { wire })
}

function escapePart(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('*', '~2')
}
