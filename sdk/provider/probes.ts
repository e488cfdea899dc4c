// Contract probes: harmless questions to a service whose answers show whether its interface is still the one that the plugin
// was written for. Playhead asks them once a day at most, for accounts that are in use, and says what differs.
import { isPlayheadError } from '../errors.ts'
import { isRecord } from '../items/result.ts'
import type { UpstreamAnswer } from '../upstream.ts'

/** The JSON type of a field. */
export type JsonType = 'string' | 'number' | 'boolean' | 'object' | 'array'

/** One question. A provider has at most three. */
export interface ContractProbe<Session> {
  /** The subject, in words for people: `watchlist`. Unique within the plugin. */
  readonly about: string
  /**
   * Sends one GET request, for a few rows where the service can be asked for few. Nothing is derived from an error, except
   * from 404 and 410: then the address is gone.
   */
  ask(session: Session, signal: AbortSignal): Promise<UpstreamAnswer>
  /**
   * Fields by path, with the type that they have, or `any`: `user.id`; `[]` stands for each entry of a list:
   * `[].movie.ids.tmdb`. A field of entries counts as missing if none of at least three has a value. An object that is missing
   * itself says nothing about its fields.
   */
  readonly fields?: Readonly<Record<string, JsonType | 'any'>>
  /**
   * Limits in headers, by name: the lowest number with which the plugin works. The value is the number, or JSON with the
   * number as `limit`. A missing header says nothing.
   */
  readonly limits?: Readonly<Record<string, { readonly least: number; readonly of: 'page' | 'requests' }>>
}

/**
 * - `gone`: the address is not known any more
 * - `missing`: the field `name` is not sent any more
 * - `type`: the field `name` is of the type `is`, and was of `was`
 * - `page`, `requests`: the header `name` allows `is` rows of a page, or requests, and the plugin needs `was`
 */
export type ContractDifference = { readonly about: string } & (
  | { readonly kind: 'gone' }
  | { readonly kind: 'missing'; readonly name: string }
  | { readonly kind: 'type'; readonly name: string; readonly is: JsonType; readonly was: JsonType }
  | { readonly kind: 'page' | 'requests'; readonly name: string; readonly is: number; readonly was: number }
)

/** What one probe found. `differences` is null if there was no usable answer. */
export interface ContractLook {
  readonly about: string
  readonly differences: readonly ContractDifference[] | null
}

export const MAX_PROBES = 3
/** A single row may lack a field. */
const MIN_ROWS = 3

/** Asks all probes, one after the other. Ends early, with nulls, when the service refuses the account or asks to wait. */
export async function lookAtContract<Session>(
  probes: readonly ContractProbe<Session>[],
  session: Session,
  signal: AbortSignal,
): Promise<readonly ContractLook[]> {
  const looks: ContractLook[] = []
  let isOver = false
  for (const probe of probes) {
    const { about } = probe
    let differences: ContractLook['differences'] = null
    if (!isOver) {
      try {
        differences = await differencesOf(probe, await probe.ask(session, signal))
      } catch (error) {
        signal.throwIfAborted()
        if (isGone(error)) differences = [{ about, kind: 'gone' }]
        isOver = isPlayheadError(error, 'PLH_AUTH_FAILED') || isPlayheadError(error, 'PLH_RATE_LIMITED')
      }
    }
    looks.push({ about, differences })
  }
  return looks
}

async function differencesOf<Session>(
  { about, fields = {}, limits = {} }: ContractProbe<Session>,
  answer: UpstreamAnswer,
): Promise<readonly ContractDifference[]> {
  const found: ContractDifference[] = []
  for (const [name, { least, of }] of Object.entries(limits)) {
    const is = numberIn(answer.headers[name.toLowerCase()])
    if (is !== undefined && is < least) found.push({ about, kind: of, name, is, was: least })
  }
  const body = await answer.json()
  for (const [path, was] of Object.entries(fields)) {
    const steps = path.split(/\.|(?=\[\])/)
    const values = steps.reduce<readonly unknown[]>(valuesBelow, [body])
    const isOfEntries = steps.includes('[]')
    const present = values.filter((value) => value !== undefined && value !== null)
    const missing = isOfEntries ? present.length === 0 && values.length >= MIN_ROWS : values[0] === undefined
    // Of an entry: as its own row names it.
    const name = path.replace(/^.*\[\]\./, '')
    const other = present.map(typeOf).find((type) => type !== was)
    if (was !== 'any' && other !== undefined) found.push({ about, kind: 'type', name, is: other, was })
    if (missing && values.length > 0) found.push({ about, kind: 'missing', name })
  }
  return found
}

/** The values one step below these; undefined for each object without the field. */
function valuesBelow(values: readonly unknown[], step: string): readonly unknown[] {
  return step === '[]'
    ? values.flatMap((value) => (Array.isArray(value) ? (value as readonly unknown[]) : []))
    : values.flatMap((value) => (isRecord(value) ? [value[step]] : []))
}

function typeOf(value: unknown): JsonType {
  return Array.isArray(value) ? 'array' : (typeof value as JsonType)
}

function numberIn(header: string | undefined): number | undefined {
  const text = /^\s*(\d+)\s*$/.exec(header ?? '') ?? /"limit"\s*:\s*(\d+)/.exec(header ?? '')
  return text === null ? undefined : Number(text[1])
}

function isGone(error: unknown): boolean {
  return isPlayheadError(error, 'PLH_NOT_FOUND') || (isPlayheadError(error) && error.details?.['status'] === 410)
}
