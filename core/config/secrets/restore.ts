// Restores stored secrets in place of their masks, so that a client can read, edit and send back a document.
//
// Objects match by key, list elements by `id`; elements without an id match if everything visible is unchanged. An
// ambiguous mask is refused: a secret must never move to another element.
import { isMasked, MASK, maskSecrets } from '@playhead/sdk'
import { ValidationProblem, type ValidationDetail } from '../../http/validation.ts'
import type { ConfigDocument } from '../contract.ts'
import { copy, equal, isObject, valueAt, type Path } from '../document/document.ts'
import type { SecretRule } from './secret-rule.ts'
import { withoutTransient } from '../view.ts'

/** A place in the input with its stored counterpart. */
interface Place {
  readonly path: Path
  readonly stored: unknown
  /** `stored` with defaults, as clients see it apart from masks. */
  readonly shown: unknown
  /** False for an element without a stored counterpart. */
  readonly isKnown: boolean
}

const ABSENT = Symbol('absent')
const NO_OBJECT = ['dict_type', 'Input should be a valid object'] as const
const NO_SECRET = [
  'masked_secret',
  'The secret that this mask stands for cannot be found. Send the secret itself.',
] as const
const NO_PASSWORD = ['masked_secret', 'The address changed, so its password must be sent again.'] as const

/**
 * A copy of `input` that can be merged into `stored`. Throws a ValidationProblem with each mask that cannot be
 * resolved.
 * @param shown `stored` with the defaults that clients see
 */
export function restoreSecrets(
  input: Readonly<ConfigDocument>,
  stored: Readonly<ConfigDocument>,
  shown: Readonly<ConfigDocument>,
  isSecret: SecretRule,
): ConfigDocument {
  const problems: ValidationDetail[] = []
  const restored = restoreObject(input, { path: [], stored, shown, isKnown: true })
  if (problems.length > 0) throw new ValidationProblem(problems)
  return restored

  function restore(value: unknown, place: Place): unknown {
    const { path, stored: kept } = place
    if (Array.isArray(value)) return holdsSecrets(kept, path) ? refuse(path, ...NO_OBJECT) : restoreList(value, place)
    if (isObject(value)) return restoreObject(value, place)
    if (isSecret(path)) return restoreSecret(value, place)
    if (typeof value === 'string' && value.includes(MASK)) return restoreAddress(value, place)
    if (!holdsSecrets(kept, path)) return value
    return value === null ? withoutSettings(kept as ConfigDocument, path) : refuse(path, ...NO_OBJECT)
  }

  function restoreObject(
    value: Readonly<ConfigDocument>,
    { path, stored: kept, shown: seen, isKnown }: Place,
  ): ConfigDocument {
    const result = Object.create(null) as ConfigDocument
    for (const [key, item] of Object.entries(value)) {
      const one = restore(item, {
        path: [...path, key],
        stored: valueAt(kept, [key]),
        shown: valueAt(seen, [key]),
        isKnown,
      })
      if (one !== ABSENT) result[key] = one
    }
    return result
  }

  function restoreSecret(value: unknown, { path, stored: kept, isKnown }: Place): unknown {
    if (!isMasked(value)) return value
    if (kept !== undefined) return copy(kept)
    if (value === null) return ABSENT
    const isBlank = (value as string).trim() === ''
    return isBlank || isKnown ? '' : refuse(path, ...NO_SECRET)
  }

  // The password inside an address must not be sent to another host.
  function restoreAddress(value: string, { path, stored: kept }: Place): unknown {
    const looksMasked = maskAddress(value.replaceAll(MASK, 'x')) === value
    if (!looksMasked) return value
    return maskAddress(kept) === value ? kept : refuse(path, ...NO_PASSWORD)
  }

  function restoreList(list: readonly unknown[], { path, stored: kept, shown: seen }: Place): unknown {
    const known = Array.isArray(kept) ? kept : []
    const visible = Array.isArray(seen) ? seen : []
    const twins = matchElements(
      list,
      known,
      visible.map((item, index) => withoutTransient(maskSecrets(item, isSecret, [...path, index]))),
    )
    return list.map((item, index) => {
      const at = [...path, index]
      const twin = twins.of(index)
      const restored = restore(item, {
        path: at,
        stored: known[twin ?? -1],
        shown: visible[twin ?? -1],
        isKnown: twin !== undefined,
      })
      if (restored === ABSENT) return ''
      const old = known[twin ?? -1]
      return isObject(restored) && isObject(old) ? { ...passing(old), ...restored } : restored
    })
  }

  /** Objects only: a list may be emptied with its secrets. */
  function holdsSecrets(value: unknown, path: Path): boolean {
    if (!isObject(value)) return false
    return Object.entries(value).some(([key, item]) => {
      const below = [...path, key]
      return typeof item === 'string' ? item !== '' && isSecret(below) : holdsSecrets(item, below)
    })
  }

  // Null for a whole object resets its settings but keeps its secrets: only a disconnect removes them, after a usage
  // check.
  function withoutSettings(value: ConfigDocument, path: Path): ConfigDocument {
    const emptied = Object.create(null) as ConfigDocument
    for (const [key, item] of Object.entries(value)) {
      const below = [...path, key]
      if (holdsSecrets(item, below)) emptied[key] = withoutSettings(item as ConfigDocument, below)
      else if (typeof item !== 'string' || !isSecret(below)) emptied[key] = null
    }
    return emptied
  }

  function refuse(path: Path, type: string, msg: string): undefined {
    problems.push({ loc: ['body', ...path], msg, type })
  }
}

/** Maps each sent list element to its stored counterpart. */
function matchElements(list: readonly unknown[], known: readonly unknown[], masked: readonly unknown[]) {
  const isUnchanged = equal(masked, list)
  const sentIds = positionsBy(list, idOf)
  const knownIds = positionsBy(known, idOf)
  const sentShapes = positionsBy(list, canonical)
  const knownShapes = positionsBy(masked, canonical)

  return {
    of(index: number): number | undefined {
      if (isUnchanged) return index
      const item = list[index]
      const id = idOf(item)
      if (id !== undefined && sentIds.get(id)?.length === 1 && knownIds.get(id)?.length === 1)
        return knownIds.get(id)?.[0]
      const shape = canonical(item)
      const [first, ...others] = knownShapes.get(shape) ?? []
      // With more equal elements than before, the copy cannot be identified.
      if (first === undefined || (sentShapes.get(shape)?.length ?? 0) > others.length + 1) return undefined
      return others.every((other) => equal(known[other], known[first])) ? first : undefined
    },
  }
}

function positionsBy(
  list: readonly unknown[],
  keyOf: (item: unknown) => string | undefined,
): ReadonlyMap<string, readonly number[]> {
  const positions = new Map<string, number[]>()
  for (const [index, item] of list.entries()) {
    const key = keyOf(item)
    if (key === undefined) continue
    const same = positions.get(key)
    if (same === undefined) positions.set(key, [index])
    else same.push(index)
  }
  return positions
}

/** Canonical JSON, independent of key order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    return isObject(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item
  })
}

function idOf(item: unknown): string | undefined {
  const id = valueAt(item, ['id'])
  return typeof id === 'string' && id !== '' ? id : undefined
}

function passing(stored: Readonly<ConfigDocument>): ConfigDocument {
  return Object.fromEntries(Object.entries(stored).filter(([key]) => key.startsWith('_')))
}

function maskAddress(value: unknown): unknown {
  return maskSecrets(value, () => false)
}
